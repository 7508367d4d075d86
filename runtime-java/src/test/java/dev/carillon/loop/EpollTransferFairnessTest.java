package dev.carillon.loop;

final class EpollTransferFairnessTest extends TransferFairnessContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
