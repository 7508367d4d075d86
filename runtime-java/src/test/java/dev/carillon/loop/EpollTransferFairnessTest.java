package dev.carillon.loop;

final class EpollTransferFairnessTest extends TransferFairnessContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
