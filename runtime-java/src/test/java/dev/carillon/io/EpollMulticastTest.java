package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollMulticastTest extends MulticastContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
