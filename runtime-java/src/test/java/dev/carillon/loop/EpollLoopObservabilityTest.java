package dev.carillon.loop;

final class EpollLoopObservabilityTest extends LoopObservabilityContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
