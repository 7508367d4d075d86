package dev.carillon.loop;

final class EpollLoopTaskTest extends LoopTaskContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
