package dev.carillon.loop;

final class EpollBorrowedDescriptorTest extends BorrowedDescriptorContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
