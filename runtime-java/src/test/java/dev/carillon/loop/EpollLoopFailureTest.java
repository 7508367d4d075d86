package dev.carillon.loop;

final class EpollLoopFailureTest extends LoopFailureContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
