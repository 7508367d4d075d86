package dev.carillon.loop;

final class EpollStreamTest extends StreamContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
