package dev.carillon.loop;

final class EpollBadAddressTest extends BadAddressContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
