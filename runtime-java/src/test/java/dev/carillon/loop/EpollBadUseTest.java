package dev.carillon.loop;

final class EpollBadUseTest extends BadUseContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
