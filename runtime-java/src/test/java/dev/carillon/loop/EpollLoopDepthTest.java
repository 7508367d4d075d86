package dev.carillon.loop;

final class EpollLoopDepthTest extends LoopDepthContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
