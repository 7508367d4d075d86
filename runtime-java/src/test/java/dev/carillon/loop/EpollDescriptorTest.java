package dev.carillon.loop;

final class EpollDescriptorTest extends DescriptorContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
