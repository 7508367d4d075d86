package dev.carillon.loop;

final class EpollLoopAllocationTest extends LoopAllocationContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
