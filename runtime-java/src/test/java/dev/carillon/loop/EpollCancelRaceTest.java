package dev.carillon.loop;

final class EpollCancelRaceTest extends CancelRaceContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
