package dev.carillon.lifecycle;

import dev.carillon.SignalInfo;

/**
 * Does something when a signal comes, see {@link Lifecycle#handle}.
 *
 * <p><b>Threading:</b> called on a thread of the lifecycle that is no loop's, so it may block.
 */
@FunctionalInterface
public interface SignalHandler {
    /**
     * A signal came. What this throws is logged, and the next handler is called.
     *
     * @param info the signal, and as much as is known of its sender
     */
    void onSignal(SignalInfo info) throws Exception;
}
