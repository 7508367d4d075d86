package dev.carillon.loop;

final class EpollTimerTest extends TimerContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
