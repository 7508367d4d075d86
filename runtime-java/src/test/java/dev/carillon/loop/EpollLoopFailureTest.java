package dev.carillon.loop;

final class EpollLoopFailureTest extends LoopFailureContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
