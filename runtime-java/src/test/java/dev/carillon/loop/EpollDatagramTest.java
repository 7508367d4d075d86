package dev.carillon.loop;

final class EpollDatagramTest extends DatagramContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
