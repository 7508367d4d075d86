package dev.carillon.loop;

final class EpollLoopObservabilityTest extends LoopObservabilityContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }
}
