package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollManyBuffersTest extends ManyBuffersContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
