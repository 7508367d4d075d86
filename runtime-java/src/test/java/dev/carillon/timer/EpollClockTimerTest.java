package dev.carillon.timer;

import dev.carillon.loop.BackendKind;

final class EpollClockTimerTest extends ClockTimerContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
