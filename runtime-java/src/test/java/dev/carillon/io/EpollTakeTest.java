package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollTakeTest extends TakeContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
