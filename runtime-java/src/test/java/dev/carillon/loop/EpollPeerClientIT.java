package dev.carillon.loop;

final class EpollPeerClientIT extends PeerClientContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
