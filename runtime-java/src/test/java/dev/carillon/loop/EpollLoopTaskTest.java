package dev.carillon.loop;

final class EpollLoopTaskTest extends LoopTaskContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
