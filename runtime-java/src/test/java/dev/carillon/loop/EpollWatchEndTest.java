package dev.carillon.loop;

final class EpollWatchEndTest extends WatchEndContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
