package dev.carillon.loop;

final class EpollChangedBufferTest extends ChangedBufferContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
