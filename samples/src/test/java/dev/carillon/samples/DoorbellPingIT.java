package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DoorbellPingIT {
    @Test
    void bothRingAndTheDeathOfOneIsTold() {
        ChildExit exit = ChildJvm.of(DoorbellPing.class).run(Duration.ofSeconds(60));
        assertEquals(0, exit.code(), exit::toString);
        assertTrue(exit.stdout().get(0).startsWith("10000 round trips"), exit::toString);
        assertEquals(
                "the bell says PEER_GONE, the guest terminated by SIGKILL",
                exit.stdout().get(1));
    }
}
