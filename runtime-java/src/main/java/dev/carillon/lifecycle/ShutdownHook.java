package dev.carillon.lifecycle;

/**
 * One step of a shutdown: stops accepting, drains, or cleans up.
 *
 * <p><b>Threading:</b> called on the thread of the shutdown, one after the other. It may block until the time of the whole
 * shutdown is over ({@link Lifecycle#timeLeft}); then its thread is interrupted, and the process ends.
 */
@FunctionalInterface
public interface ShutdownHook {
    /** Does its step. What this throws is logged, and the shutdown goes on. */
    void run() throws Exception;
}
