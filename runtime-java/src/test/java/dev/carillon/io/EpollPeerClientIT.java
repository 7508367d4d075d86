package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollPeerClientIT extends PeerClientContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
