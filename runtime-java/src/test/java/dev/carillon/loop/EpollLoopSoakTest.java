package dev.carillon.loop;

import java.time.Duration;

final class EpollLoopSoakTest extends LoopSoakContract {
    @Override
    Backend backend() {
        return Backend.EPOLL;
    }

    @Override
    Duration length() {
        return Duration.ofSeconds(3);
    }
}
