package dev.carillon.loop;

final class EpollCancelledTimerTest extends CancelledTimerContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
