package dev.carillon.loop;

final class EpollDatagramTest extends DatagramContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
