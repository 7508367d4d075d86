package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollUnwantedDescriptorsTest extends UnwantedDescriptorsContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
