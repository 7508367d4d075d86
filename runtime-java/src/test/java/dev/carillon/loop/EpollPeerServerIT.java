package dev.carillon.loop;

final class EpollPeerServerIT extends PeerServerContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
