package dev.carillon.loop;

final class EpollUnwantedDescriptorsTest extends UnwantedDescriptorsContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
