package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollChangedBufferTest extends ChangedBufferContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
