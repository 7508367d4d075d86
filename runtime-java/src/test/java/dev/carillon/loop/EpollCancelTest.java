package dev.carillon.loop;

final class EpollCancelTest extends CancelContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
