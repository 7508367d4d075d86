package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollAddressRaceTest extends AddressRaceContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
