package dev.carillon.loop;

final class EpollShortReadTest extends ShortReadContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
