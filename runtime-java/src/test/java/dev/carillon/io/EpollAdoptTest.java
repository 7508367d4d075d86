package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollAdoptTest extends AdoptContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
