package dev.carillon.loop.queue;

import java.util.concurrent.locks.LockSupport;

/** A pause for code that cannot give up half-way when memory is short, and tries again. <b>Threading:</b> any thread. */
public final class ShortMemory {
    private static final long NANOS = 1_000_000;

    private ShortMemory() {}

    /** Waits a little. The VM may need memory for a line that it never ran before: then this returns at once. */
    public static void pause() {
        try {
            LockSupport.parkNanos(NANOS);
        } catch (OutOfMemoryError stillShort) {
            Thread.onSpinWait();
        }
    }
}
