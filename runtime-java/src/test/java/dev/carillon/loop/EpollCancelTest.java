package dev.carillon.loop;

final class EpollCancelTest extends CancelContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
