package dev.carillon.loop;

final class EpollChangedBufferTest extends ChangedBufferContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
