package dev.carillon.loop;

import java.time.Duration;

final class EpollLoopSoakTest extends LoopSoakContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    Duration length() {
        return Duration.ofSeconds(3);
    }
}
