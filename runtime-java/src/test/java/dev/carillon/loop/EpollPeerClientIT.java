package dev.carillon.loop;

final class EpollPeerClientIT extends PeerClientContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
