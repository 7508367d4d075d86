package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollBadAddressTest extends BadAddressContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
