package dev.carillon.loop;

final class EpollLoopDepthTest extends LoopDepthContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
