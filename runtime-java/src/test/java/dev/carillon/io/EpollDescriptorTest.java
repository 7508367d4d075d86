package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollDescriptorTest extends DescriptorContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
