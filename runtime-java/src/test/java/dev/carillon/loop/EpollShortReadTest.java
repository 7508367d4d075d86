package dev.carillon.loop;

final class EpollShortReadTest extends ShortReadContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
