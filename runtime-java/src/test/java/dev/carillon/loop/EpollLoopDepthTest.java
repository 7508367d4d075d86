package dev.carillon.loop;

final class EpollLoopDepthTest extends LoopDepthContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
