package dev.carillon.loop;

final class EpollConnectTest extends ConnectContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
