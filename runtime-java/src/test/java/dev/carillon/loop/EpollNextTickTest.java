package dev.carillon.loop;

final class EpollNextTickTest extends NextTickContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
