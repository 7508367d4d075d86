package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Interleavings;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All orders of the steps of a sender and a receiver, as shipped and wrong on purpose. */
final class RingInterleavingsTest {
    private static final int MESSAGES = Boolean.getBoolean("carillon.stress") ? 24 : 10;

    private final MemoryRegion region = MemoryRegion.anonymous(Rings.size(RingWorld.CAPACITY));

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private int explore(long start, int batch) {
        return Interleavings.explore(
                () -> new RingWorld(region.bytes(), RingWorld.Plan.SHIPPED, start, MESSAGES, batch));
    }

    private void assertFound(RingWorld.Plan plan, String what) {
        for (int batch = 1; batch <= RingWorld.CAPACITY; batch++) {
            int size = batch;
            Optional<String> found =
                    Interleavings.failureOf(() -> new RingWorld(region.bytes(), plan, 0, MESSAGES, size));
            assertTrue(found.isPresent(), () -> plan + ": the search finds nothing with batches of " + size);
            assertTrue(found.orElseThrow().contains(what), found::toString);
        }
    }

    // r[verify shm.ring]
    @Test
    void inNoOrderIsAMessageLostOrSeenByHalf() {
        int states = 0;
        for (int batch = 1; batch <= RingWorld.CAPACITY; batch++) {
            states += explore(0, batch) + explore(-2, batch);
        }
        System.out.println("ring: " + states + " states");
        assertTrue(states > 1_000, "states=" + states);
    }

    @Test
    void publishingBeforeTheBytesShowsWhatWasThereBefore() {
        assertFound(RingWorld.Plan.PUBLISH_BEFORE_BYTES, "reads");
    }

    @Test
    void writingBeforeTheLookOverwritesWhatIsUnread() {
        assertFound(RingWorld.Plan.WRITE_BEFORE_LOOK, "reads");
    }

    @Test
    void movingTheTailBeforeReadingReadsALaterMessage() {
        assertFound(RingWorld.Plan.TAIL_BEFORE_READING, "reads");
    }
}
