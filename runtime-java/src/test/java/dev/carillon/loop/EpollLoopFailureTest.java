package dev.carillon.loop;

final class EpollLoopFailureTest extends LoopFailureContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
