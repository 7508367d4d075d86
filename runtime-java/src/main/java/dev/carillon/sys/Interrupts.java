package dev.carillon.sys;

/**
 * How Thread.interrupt() meets a thread that is about to block.
 *
 * <p>Older JDKs look first whether the thread has said that it blocks, and set its status after that (JDK-8323782). A
 * thread that says so in between is not woken, and finds no status yet. Such a thread looks once more a moment after it
 * has begun to wait.
 */
public final class Interrupts {
    /** Whether the status may come late; newer JDKs set it first. */
    public static final boolean COME_LATE = Runtime.version().feature() < 23;

    /** Far enough not to be the next timer of the processor: to set that costs more than all the rest of a short wait. */
    private static final long LOOK_AGAIN_NANOS = 50_000_000;

    private Interrupts() {}

    /** Until when the first part of a wait lasts, after which the status is looked at once more. */
    public static long secondLook(long deadlineNanos) {
        return Math.min(deadlineNanos, System.nanoTime() + LOOK_AGAIN_NANOS);
    }
}
