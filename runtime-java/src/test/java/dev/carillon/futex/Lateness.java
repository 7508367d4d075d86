package dev.carillon.futex;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How late waits end after their deadlines, beside how late the thread's own pauses end in the same moments: a busy
 * machine makes both late.
 *
 * @param earliest nanoseconds after the deadline; negative if a wait ended before it
 * @param median of the waits
 * @param medianOfPauses of pauses with the same deadlines
 */
record Lateness(long earliest, long median, long medianOfPauses) {
    /** What a poll pauses at most, which comes on top. */
    private static final long LONGEST_PAUSE = 1_000_000;

    /** A wait until a deadline that is bound to pass. */
    interface Timed {
        void until(long deadline) throws InterruptedException;
    }

    static Lateness of(Timed wait) throws InterruptedException {
        List<Long> waits = new ArrayList<>();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            long length = 2_000_000 + i * 50_000L;
            waits.add(late(length, wait));
            pauses.add(late(length, Lateness::pause));
        }
        waits.sort(null);
        pauses.sort(null);
        return new Lateness(waits.get(0), waits.get(20), pauses.get(20));
    }

    /** Whether they end as soon as this machine lets them, now. */
    boolean isSmall() {
        return median <= 3 * medianOfPauses + 2 * LONGEST_PAUSE;
    }

    private static long late(long length, Timed wait) throws InterruptedException {
        long deadline = System.nanoTime() + length;
        wait.until(deadline);
        return System.nanoTime() - deadline;
    }

    private static void pause(long deadline) {
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public String toString() {
        return "late by " + earliest / 1_000 + " us at least, " + median / 1_000 + " us (median); pauses by "
                + medianOfPauses / 1_000 + " us";
    }
}
