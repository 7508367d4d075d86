package dev.carillon.loop;

final class EpollLoopRunTest extends LoopRunContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
