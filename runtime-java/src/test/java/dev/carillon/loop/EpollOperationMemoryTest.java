package dev.carillon.loop;

final class EpollOperationMemoryTest extends OperationMemoryContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
