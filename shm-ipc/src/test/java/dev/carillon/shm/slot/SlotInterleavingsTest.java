package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Interleavings;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All orders of the steps of two sides that use slots, as shipped and wrong on purpose. */
final class SlotInterleavingsTest {
    private static final int MESSAGES = Boolean.getBoolean("carillon.stress") ? 12 : 6;

    private final MemoryRegion region = MemoryRegion.anonymous(SlotWorld.SIZE);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private int explore(SlotWorld.Plan plan, long start) {
        return Interleavings.explore(() -> new SlotWorld(region.bytes(), plan, start, MESSAGES));
    }

    private void assertFound(SlotWorld.Plan plan, String what) {
        Optional<String> found = Interleavings.failureOf(() -> new SlotWorld(region.bytes(), plan, 0, MESSAGES));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains(what), found::toString);
    }

    // r[verify shm.slot]
    @Test
    void inNoOrderIsASlotLostOrItsBytesMixedUp() {
        int states = explore(SlotWorld.Plan.SHIPPED, 0);
        assertEquals(states, explore(SlotWorld.Plan.SHIPPED, -2), "where counters and generations wrap");
        System.out.println("slots: " + states + " states");
        assertTrue(states > 300, "states=" + states);
    }

    // r[verify shm.slot]
    @Test
    void aSenderThatIsKilledAnywhereLeavesAWholePrefix() {
        int states = explore(SlotWorld.Plan.SHIPPED_WITH_KILL, 0);
        System.out.println("slots with a kill: " + states + " states");
        assertTrue(states > 300, "states=" + states);
    }

    @Test
    void publishingBeforeTheBytesShowsWhatWasThereBefore() {
        assertFound(SlotWorld.Plan.PUBLISH_BEFORE_BYTES, "reads");
    }

    @Test
    void publishingBeforeTheSlotIsInFlightMakesACorrectReceiverRefuseIt() {
        SlotViolation found =
                assertThrows(SlotViolation.class, () -> explore(SlotWorld.Plan.PUBLISH_BEFORE_IN_FLIGHT, 0));
        assertTrue(String.valueOf(found.getMessage()).contains("is CLAIMED"), found::toString);
    }

    @Test
    void movingTheTailBeforeTheSlotIsHeldLeavesASlotThatNobodyNames() {
        assertFound(SlotWorld.Plan.TAIL_BEFORE_HELD, "in flight with 0 references");
    }

    @Test
    void releasingBeforeReadingReadsALaterMessage() {
        assertFound(SlotWorld.Plan.RELEASE_BEFORE_READING, "reads");
    }

    @Test
    void freeingASlotBeforeForgettingItMakesTheReceiverRefuseItsNextUse() {
        SlotViolation found =
                assertThrows(SlotViolation.class, () -> explore(SlotWorld.Plan.FREE_BEFORE_FORGETTING, 0));
        assertTrue(String.valueOf(found.getMessage()).contains("here is HELD"), found::toString);
    }
}
