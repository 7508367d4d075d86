package dev.carillon.loop;

final class EpollFileTest extends FileContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
