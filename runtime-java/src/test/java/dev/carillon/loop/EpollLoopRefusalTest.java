package dev.carillon.loop;

final class EpollLoopRefusalTest extends LoopRefusalContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
