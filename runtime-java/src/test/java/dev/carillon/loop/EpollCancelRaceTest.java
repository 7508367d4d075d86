package dev.carillon.loop;

final class EpollCancelRaceTest extends CancelRaceContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
