package dev.carillon.loop;

final class EpollCancelRaceStressTest extends CancelRaceContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }

    @Override
    int races() {
        return 500_000;
    }
}
