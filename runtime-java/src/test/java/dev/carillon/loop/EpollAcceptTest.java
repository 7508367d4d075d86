package dev.carillon.loop;

final class EpollAcceptTest extends AcceptContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
