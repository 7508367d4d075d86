package dev.carillon.loop;

final class EpollLoopAllocationTest extends LoopAllocationContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
