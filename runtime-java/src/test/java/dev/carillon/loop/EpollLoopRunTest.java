package dev.carillon.loop;

final class EpollLoopRunTest extends LoopRunContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
