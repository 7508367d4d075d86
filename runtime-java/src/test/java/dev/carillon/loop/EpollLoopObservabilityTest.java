package dev.carillon.loop;

final class EpollLoopObservabilityTest extends LoopObservabilityContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }
}
