package dev.carillon.loop;

final class EpollArenaBufferTest extends ArenaBufferContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
