package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollOptionEffectsTest extends OptionEffectsContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
