package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How the time adapts for which waits look before they sleep. */
final class SpinTimeTest {
    private static final long MOST = 16_000;

    private final SpinTime time = new SpinTime(MOST);

    // r[verify shm.wait.cheap]
    @Test
    void waitsThatEndUpAsleepLookForLessTimeAndForAllOfItEveryNowAndThen() {
        long spent = 0;
        int whole = 0;
        for (int i = 0; i < 10 * SpinTime.TRIES; i++) {
            assertTrue(time.nextNanos() >= MOST / SpinTime.TRIES);
            spent += time.nextNanos();
            whole += time.nextNanos() == MOST ? 1 : 0;
            time.sleeps();
        }
        assertEquals(10, whole);
        assertTrue(spent < 10 * SpinTime.TRIES * MOST / 4, "spent=" + spent);
    }

    // r[verify shm.wait.cheap]
    @Test
    void aLookThatHelpsBringsTheWholeTimeBack() {
        time.sleeps();
        assertEquals(MOST / 2, time.nextNanos());
        time.helped();
        assertEquals(MOST, time.nextNanos());
    }

    @Test
    void noTimeStaysNone() {
        SpinTime none = new SpinTime(0);
        for (int i = 0; i < 2 * SpinTime.TRIES; i++) {
            none.sleeps();
            assertEquals(0, none.nextNanos());
        }
    }
}
