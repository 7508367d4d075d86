package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollPeerServerIT extends PeerServerContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
