package dev.carillon.loop;

final class EpollWatchEndTest extends WatchEndContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
