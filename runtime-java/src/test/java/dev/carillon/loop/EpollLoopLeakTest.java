package dev.carillon.loop;

final class EpollLoopLeakTest extends LoopLeakContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
