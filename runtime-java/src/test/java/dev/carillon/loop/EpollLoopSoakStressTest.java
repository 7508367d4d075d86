package dev.carillon.loop;

import java.time.Duration;
import org.junit.jupiter.api.Timeout;

/** A minute, or as many seconds as {@code -Dcarillon.soak=600} says. */
@Timeout(3_600)
final class EpollLoopSoakStressTest extends LoopSoakContract {
    @Override
    BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Override
    Duration length() {
        return Duration.ofSeconds(Integer.getInteger("carillon.soak", 60));
    }
}
