package dev.carillon.shm.doorbell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An end of which somebody else has a copy, who clears its O_NONBLOCK. */
final class SharedBellTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    // r[verify io.shared-flag]
    @Test
    void aBellThatSomebodyLetsBlockIsNeitherPolledNorRungForEver() throws Exception {
        try (DoorbellPair pair = Doorbell.pair()) {
            Sys.get().descriptors().setNonBlocking(pair.host().fd(), false);
            Sys.get().descriptors().setNonBlocking(pair.guest().fd(), false);
            assertEquals(DoorbellEvent.TIMEOUT, Deadline.call(LIMIT, pair.guest()::poll));
            // More often than the socket has room for.
            for (int i = 0; i < 5_000; i++) {
                assertEquals(RingResult.RUNG, Deadline.call(LIMIT, pair.host()::ring));
            }
            assertEquals(DoorbellEvent.RUNG, Deadline.call(LIMIT, pair.guest()::poll));
        }
    }
}
