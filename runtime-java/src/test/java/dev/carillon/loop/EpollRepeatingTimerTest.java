package dev.carillon.loop;

final class EpollRepeatingTimerTest extends RepeatingTimerContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
