package dev.carillon.io;

import dev.carillon.loop.BackendKind;
import java.time.Duration;

final class EpollLoopSoakTest extends LoopSoakContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    Duration length() {
        return Duration.ofSeconds(3);
    }
}
