package dev.carillon.shm.doorbell;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Interleavings;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** All orders of the steps of one who rings and dies, and one who sleeps on the bell. */
final class BellOrderTest {
    private static void assertFound(BellWorld.Plan plan, boolean dies, String what) {
        Optional<String> found = Interleavings.failureOf(() -> new BellWorld(3, dies, plan));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains(what), found::toString);
    }

    private static int statesOf(BellWorld.Plan plan) {
        int states = 0;
        for (int items = 1; items <= 6; items++) {
            int several = items;
            states += Interleavings.explore(() -> new BellWorld(several, true, plan));
            states += Interleavings.explore(() -> new BellWorld(several, false, plan));
        }
        return states;
    }

    // r[verify shm.doorbell.drain-order] r[verify shm.doorbell.death] r[verify shm.doorbell.signal]
    @Test
    void inNoOrderIsAnItemOrTheDeathMissed() {
        int states = statesOf(BellWorld.Plan.SHIPPED);
        System.out.println("bell: " + states + " states");
        assertTrue(states > 300, "states=" + states);
    }

    // r[verify shm.doorbell.async]
    @Test
    void onALoopNeither() {
        int states = statesOf(BellWorld.Plan.EDGES);
        System.out.println("bell on a loop: " + states + " states");
        assertTrue(states > 300, "states=" + states);
    }

    @Test
    void drainingAfterTheLookLosesAnItem() {
        assertFound(BellWorld.Plan.DRAIN_AFTER_LOOK, false, "lost");
    }

    @Test
    void believingAHangUpBeforeReadingLosesTheLastWork() {
        assertFound(BellWorld.Plan.HANG_UP_BEFORE_DATA, true, "lost");
    }

    @Test
    void onALoopAShortReadIsNotTheEnd() {
        assertFound(BellWorld.Plan.EDGES_STOPPED_SHORT, true, "the death was told 0 times");
    }

    @Test
    void ringingBeforePublishingLosesAnItem() {
        assertFound(BellWorld.Plan.RING_BEFORE_PUBLISHING, false, "lost");
    }
}
