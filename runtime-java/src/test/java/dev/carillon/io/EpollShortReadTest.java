package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollShortReadTest extends ShortReadContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
