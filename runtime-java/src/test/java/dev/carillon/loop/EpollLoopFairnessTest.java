package dev.carillon.loop;

final class EpollLoopFairnessTest extends LoopFairnessContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
