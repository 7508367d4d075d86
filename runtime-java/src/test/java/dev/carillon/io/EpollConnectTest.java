package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollConnectTest extends ConnectContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
