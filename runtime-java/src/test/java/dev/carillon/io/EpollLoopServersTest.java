package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollLoopServersTest extends LoopServersContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
