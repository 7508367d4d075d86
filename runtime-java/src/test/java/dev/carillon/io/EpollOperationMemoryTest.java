package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollOperationMemoryTest extends OperationMemoryContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
