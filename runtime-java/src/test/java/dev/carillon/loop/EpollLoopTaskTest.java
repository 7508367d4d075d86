package dev.carillon.loop;

final class EpollLoopTaskTest extends LoopTaskContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
