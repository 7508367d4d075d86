package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollLoopTroubleTest extends LoopTroubleContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
