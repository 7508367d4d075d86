package dev.carillon.loop;

final class EpollLoopRunTest extends LoopRunContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
