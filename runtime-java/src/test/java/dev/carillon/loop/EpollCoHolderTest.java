package dev.carillon.loop;

final class EpollCoHolderTest extends CoHolderContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
