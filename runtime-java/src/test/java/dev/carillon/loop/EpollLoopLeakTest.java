package dev.carillon.loop;

final class EpollLoopLeakTest extends LoopLeakContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
