package dev.carillon.loop;

final class EpollLoopRefusalTest extends LoopRefusalContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
