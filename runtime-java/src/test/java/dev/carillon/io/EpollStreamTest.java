package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollStreamTest extends StreamContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
