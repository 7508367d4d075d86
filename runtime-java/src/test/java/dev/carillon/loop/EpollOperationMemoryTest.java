package dev.carillon.loop;

final class EpollOperationMemoryTest extends OperationMemoryContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
