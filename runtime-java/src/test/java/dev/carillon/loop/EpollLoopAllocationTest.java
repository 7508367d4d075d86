package dev.carillon.loop;

final class EpollLoopAllocationTest extends LoopAllocationContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
