package dev.carillon.loop;

final class EpollLoopLeakTest extends LoopLeakContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
