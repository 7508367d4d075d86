package dev.carillon.loop;

final class EpollManyBuffersTest extends ManyBuffersContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
