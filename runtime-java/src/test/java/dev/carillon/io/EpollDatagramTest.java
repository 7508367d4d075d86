package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollDatagramTest extends DatagramContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
