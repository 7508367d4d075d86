package dev.carillon.lifecycle;

import dev.carillon.Signal;

/**
 * Takes signals that come by another way than the operating system, such as an HTTP request.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface SignalDispatcher {
    /** Whether something happens when this signal comes: it has a handler, or the lifecycle acts on it by itself. */
    boolean handles(Signal signal);

    /**
     * Has done what the signal asks for, as if it had come from the operating system, also where that cannot deliver it.
     * Returns at once.
     *
     * @param origin where it came from, for the log
     * @throws IllegalStateException if nobody takes it: nothing handles it, or the lifecycle has not started or is closed
     */
    void dispatch(Signal signal, String origin);
}
