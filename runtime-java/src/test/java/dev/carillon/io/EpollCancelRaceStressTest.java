package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollCancelRaceStressTest extends CancelRaceContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    int races() {
        return 500_000;
    }
}
