package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollBadUseTest extends BadUseContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
