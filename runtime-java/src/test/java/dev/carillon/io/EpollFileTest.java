package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollFileTest extends FileContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
