package dev.carillon.loop;

final class EpollTimerTest extends TimerContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
