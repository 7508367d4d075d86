package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollArenaBufferTest extends ArenaBufferContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
