package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollDeadlineTest extends DeadlineContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
