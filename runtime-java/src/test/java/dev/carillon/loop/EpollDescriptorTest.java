package dev.carillon.loop;

final class EpollDescriptorTest extends DescriptorContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
