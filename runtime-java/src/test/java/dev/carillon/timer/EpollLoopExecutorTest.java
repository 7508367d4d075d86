package dev.carillon.timer;

import dev.carillon.loop.BackendKind;

final class EpollLoopExecutorTest extends LoopExecutorContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
