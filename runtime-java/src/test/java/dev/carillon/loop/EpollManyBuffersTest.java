package dev.carillon.loop;

final class EpollManyBuffersTest extends ManyBuffersContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
