package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollCancelStressTest extends CancelContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    int races() {
        return 1_000_000;
    }
}
