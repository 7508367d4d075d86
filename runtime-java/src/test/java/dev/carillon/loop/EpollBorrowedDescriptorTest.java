package dev.carillon.loop;

final class EpollBorrowedDescriptorTest extends BorrowedDescriptorContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
