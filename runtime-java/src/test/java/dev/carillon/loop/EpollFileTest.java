package dev.carillon.loop;

final class EpollFileTest extends FileContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
