package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollCancelTest extends CancelContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
