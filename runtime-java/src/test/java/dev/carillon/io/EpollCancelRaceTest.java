package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollCancelRaceTest extends CancelRaceContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
