package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollPriorityTest extends PriorityContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
