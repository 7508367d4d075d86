package dev.carillon.loop;

final class EpollCancelStressTest extends CancelContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    int races() {
        return 1_000_000;
    }
}
