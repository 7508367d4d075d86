package dev.carillon.loop;

final class EpollLoopRefusalTest extends LoopRefusalContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
