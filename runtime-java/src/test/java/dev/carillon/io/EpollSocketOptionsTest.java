package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollSocketOptionsTest extends SocketOptionsContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
