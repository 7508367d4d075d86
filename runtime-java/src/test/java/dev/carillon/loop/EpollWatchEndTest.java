package dev.carillon.loop;

final class EpollWatchEndTest extends WatchEndContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
