package dev.carillon.loop;

final class EpollUnwantedDescriptorsTest extends UnwantedDescriptorsContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
