package dev.carillon.loop;

final class EpollLoopTroubleTest extends LoopTroubleContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
