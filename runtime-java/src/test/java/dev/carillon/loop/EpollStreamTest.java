package dev.carillon.loop;

final class EpollStreamTest extends StreamContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
