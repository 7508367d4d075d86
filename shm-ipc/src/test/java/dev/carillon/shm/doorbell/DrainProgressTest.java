package dev.carillon.shm.doorbell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.Errno;
import org.junit.jupiter.api.Test;

final class DrainProgressTest {
    private static final int CAPACITY = 8;
    private static final int MANY = 1_000;

    private static int readsOf(DrainProgress draining, long result) {
        draining.begin();
        int reads = 1;
        while (reads < MANY && draining.took(result)) {
            reads++;
        }
        return reads;
    }

    // r[verify shm.doorbell.wait]
    @Test
    void aBellThatNeverRunsDryIsReadSixteenTimes() {
        for (boolean untilEmpty : new boolean[] {false, true}) {
            DrainProgress draining = new DrainProgress(CAPACITY, DrainProgress.MAX_READS, untilEmpty);
            assertEquals(16, readsOf(draining, CAPACITY));
            assertTrue(draining.hasLeftSome());
            assertEquals(DoorbellEvent.RUNG, draining.event());
        }
    }

    @Test
    void aShortReadHasTakenAllUnlessOneIsToldOfChangesOnly() {
        DrainProgress blocking = new DrainProgress(CAPACITY, DrainProgress.MAX_READS, false);
        assertEquals(1, readsOf(blocking, CAPACITY - 1));
        assertFalse(blocking.hasLeftSome());
        DrainProgress onLoop = new DrainProgress(CAPACITY, DrainProgress.MAX_READS, true).begin();
        assertTrue(onLoop.took(CAPACITY - 1));
        assertFalse(onLoop.took(-Errno.EAGAIN));
        assertFalse(onLoop.hasLeftSome());
        assertEquals(DoorbellEvent.RUNG, onLoop.event());
    }

    // r[verify shm.doorbell.death]
    @Test
    void theEndAndAResetAreTheDeathButTheRingComesFirst() {
        DrainProgress draining = new DrainProgress(CAPACITY, DrainProgress.MAX_READS, true);
        for (long end : new long[] {0, -Errno.ECONNRESET}) {
            assertFalse(draining.begin().took(end));
            assertEquals(DoorbellEvent.PEER_GONE, draining.event());
            assertTrue(draining.begin().took(1));
            assertFalse(draining.took(end));
            assertEquals(DoorbellEvent.RUNG, draining.event());
            assertTrue(draining.sawEnd());
        }
    }
}
