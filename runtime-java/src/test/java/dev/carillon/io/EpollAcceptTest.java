package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollAcceptTest extends AcceptContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
