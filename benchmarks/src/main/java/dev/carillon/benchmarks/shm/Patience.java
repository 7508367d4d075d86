package dev.carillon.benchmarks.shm;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** How a side waits for the other one: it spins, and gives its core away when that takes long. It gives up some day. */
final class Patience {
    /** More spins than the other side ever takes while it has a core. */
    private static final int SPINS = 1 << 12;

    private final long mostNanos;
    private long deadline;
    private int spins;

    Patience(Duration most) {
        mostNanos = most.toNanos();
    }

    /** Begins a round, which must be over in time. */
    void begin() {
        deadline = System.nanoTime() + mostNanos;
        spins = 0;
    }

    /** Waits a moment. */
    void again() throws TimeoutException {
        Thread.onSpinWait();
        if ((++spins & (SPINS - 1)) == 0) {
            lookAtTheClock();
        }
    }

    private void lookAtTheClock() throws TimeoutException {
        try {
            // For HotSpot a sleep of 0 is sched_yield(2), which the C yardstick calls here.
            Thread.sleep(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (System.nanoTime() - deadline > 0) {
            throw new TimeoutException("the other side did not move for up to " + mostNanos / 1_000_000 + " ms");
        }
    }
}
