package dev.carillon.loop.access;

import java.util.Map;

/**
 * Asks the kernel for a loop what has happened. Operations come to it from the rooms above; it gives each that is done back
 * through {@link PolledLoop#completed}.
 *
 * <p><b>Threading:</b> the loop thread, but {@link #wake}, which is for any.
 */
public interface Poller extends AutoCloseable {
    /** A timeout that never ends. */
    long FOR_EVER = -1;

    /** Waits for something to happen, and takes in what did; 0 does not wait. */
    void poll(long timeoutNanos);

    /** Ends a poll, or the next one. */
    void wake();

    /** Calls back whenever the descriptor becomes readable. */
    void watch(WatchedDescriptor watch);

    /** Calls back in the next iteration; nothing if it is not watched. Never fails for want of memory. */
    void again(WatchedDescriptor watch);

    /** Ends that. */
    void unwatch(WatchedDescriptor watch);

    /** How many operations wait, watches not counted. */
    long pending();

    /** Whether something is to be tried again without an event. */
    boolean hasDeferred();

    /** The loop ends: fails all that wait, and tells the watches; may be called again. */
    void failAll(Throwable cause);

    /** How many operations were completed, by kind. */
    Map<String, Long> completed();

    @Override
    void close();
}
