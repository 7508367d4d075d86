package dev.carillon.loop;

final class EpollLoopTroubleTest extends LoopTroubleContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
