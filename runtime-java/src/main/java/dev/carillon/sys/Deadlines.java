package dev.carillon.sys;

import java.time.Duration;

/**
 * Moments on the clock of {@link System#nanoTime}, by which all waits and timers are counted.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Deadlines {
    /** A deadline that never comes: later than all others. */
    public static final long NEVER = Long.MAX_VALUE;

    private Deadlines() {}

    /** The moment at which a delay is over; a negative delay is over now, and one that the clock cannot count is never over. */
    public static long after(long now, Duration delay) {
        if (delay.isNegative()) {
            return now;
        }
        try {
            return Math.addExact(now, delay.toNanos());
        } catch (ArithmeticException tooLong) {
            return NEVER;
        }
    }

    // r[impl timer.extremes]
    /** The nanoseconds from now to a deadline, whatever both are; not negative. */
    public static long until(long deadline, long now) {
        if (deadline <= now) {
            return 0;
        }
        long distance = deadline - now;
        return distance < 0 ? Long.MAX_VALUE : distance;
    }

    /**
     * Refuses a deadline before the machine was started: most such numbers are delays.
     *
     * @throws IllegalArgumentException if the deadline is negative
     */
    public static void ensureNotNegative(long deadlineNanos) {
        if (deadlineNanos < 0) {
            throw new IllegalArgumentException("deadlineNanos=" + deadlineNanos
                    + ": a deadline is System.nanoTime() and some time; Long.MAX_VALUE never comes");
        }
    }
}
