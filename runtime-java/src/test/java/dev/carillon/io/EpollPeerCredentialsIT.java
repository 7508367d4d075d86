package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollPeerCredentialsIT extends PeerCredentialsContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
