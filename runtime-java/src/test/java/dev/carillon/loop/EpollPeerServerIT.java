package dev.carillon.loop;

final class EpollPeerServerIT extends PeerServerContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
