package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollMoveTest extends MoveContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
