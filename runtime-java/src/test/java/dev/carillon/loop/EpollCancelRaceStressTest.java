package dev.carillon.loop;

final class EpollCancelRaceStressTest extends CancelRaceContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    int races() {
        return 500_000;
    }
}
