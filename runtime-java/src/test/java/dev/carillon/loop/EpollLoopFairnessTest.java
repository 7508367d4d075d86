package dev.carillon.loop;

final class EpollLoopFairnessTest extends LoopFairnessContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
