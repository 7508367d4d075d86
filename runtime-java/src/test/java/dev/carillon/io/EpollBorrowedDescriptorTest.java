package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollBorrowedDescriptorTest extends BorrowedDescriptorContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
