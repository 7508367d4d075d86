package dev.carillon.loop;

final class EpollCoHolderTest extends CoHolderContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
