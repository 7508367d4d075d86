package dev.carillon.loop;

final class EpollBadAddressTest extends BadAddressContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
