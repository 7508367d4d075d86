package dev.carillon.io;

import dev.carillon.loop.BackendKind;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;

/** A minute, or as many seconds as {@code -Dcarillon.soak=600} says. */
@Timeout(3_600)
final class EpollLoopSoakStressTest extends LoopSoakContract {
    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    Duration length() {
        return Duration.ofSeconds(Integer.getInteger("carillon.soak", 60));
    }
}
