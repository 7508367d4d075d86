package dev.carillon.loop;

final class EpollArenaBufferTest extends ArenaBufferContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
