package dev.carillon.loop;

final class EpollAcceptTest extends AcceptContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
