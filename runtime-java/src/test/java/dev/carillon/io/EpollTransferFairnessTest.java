package dev.carillon.io;

import dev.carillon.loop.BackendKind;

final class EpollTransferFairnessTest extends TransferFairnessContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
