package dev.carillon.loop;

final class EpollLoopFairnessTest extends LoopFairnessContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
