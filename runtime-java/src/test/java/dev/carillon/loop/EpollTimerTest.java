package dev.carillon.loop;

final class EpollTimerTest extends TimerContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
