package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollCoHolderTest extends CoHolderContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
