package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Interleavings;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All orders in which a sender that needs an entry and a slot can wait for them, as shipped and wrong on purpose. */
final class ClaimWaitTest {
    private static final int FRAMES = Boolean.getBoolean("carillon.stress") ? 9 : 6;

    private final MemoryRegion region = MemoryRegion.anonymous(ClaimWaitWorld.SIZE);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    // r[verify shm.wakeup.slot-wait] r[verify shm.wakeup.producer-wait]
    @Test
    void inNoOrderDoesASenderThatNeedsBothSleepForEver() {
        int states =
                Interleavings.explore(() -> new ClaimWaitWorld(region.bytes(), ClaimWaitWorld.Plan.SHIPPED, FRAMES));
        System.out.println("waits for claims: " + states + " states");
        assertTrue(states > 300, "states=" + states);
    }

    @Test
    void whatIsWrongOnPurposeIsFound() {
        for (ClaimWaitWorld.Plan plan : ClaimWaitWorld.Plan.values()) {
            if (plan != ClaimWaitWorld.Plan.SHIPPED) {
                assertFound(plan);
            }
        }
    }

    private void assertFound(ClaimWaitWorld.Plan plan) {
        Optional<String> found = Interleavings.failureOf(() -> new ClaimWaitWorld(region.bytes(), plan, FRAMES));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains("the sender sleeps"), found::toString);
    }
}
