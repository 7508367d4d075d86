package dev.carillon.loop.access;

import java.util.Map;

/**
 * Asks the kernel, for a loop, what has happened. Operations come to it from the packages above; it gives back each one that
 * is done through {@link PolledLoop#completed}.
 *
 * <p><b>Threading:</b> {@link #wake}: any thread; the rest: the loop thread.
 */
public interface Poller extends AutoCloseable {
    /** A timeout that never ends. */
    long FOR_EVER = -1;

    /** Waits until something happens, and takes it in; 0 does not wait. */
    void poll(long timeoutNanos);

    /** Ends a poll, or the next one. */
    void wake();

    /** Calls back whenever the descriptor becomes readable. */
    void watch(WatchedDescriptor watch);

    /** Calls back in the next iteration; does nothing if the descriptor is not watched. Never fails for want of memory. */
    void again(WatchedDescriptor watch);

    /** Ends the watching. */
    void unwatch(WatchedDescriptor watch);

    /** How many operations wait, watches not counted. */
    long pending();

    /** Whether the next poll has something to try again without an event. */
    boolean hasDeferred();

    /** The loop ends: fails all operations that wait, and informs the watches. May be called again. */
    void failAll(Throwable cause);

    /** How many operations were completed, by kind. */
    Map<String, Long> completed();

    @Override
    void close();
}
