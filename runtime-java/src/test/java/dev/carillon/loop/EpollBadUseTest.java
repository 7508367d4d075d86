package dev.carillon.loop;

final class EpollBadUseTest extends BadUseContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
