package dev.carillon.loop;

final class EpollCancelStressTest extends CancelContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }

    @Override
    int races() {
        return 1_000_000;
    }
}
