package dev.carillon.loop;

final class EpollConnectTest extends ConnectContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
