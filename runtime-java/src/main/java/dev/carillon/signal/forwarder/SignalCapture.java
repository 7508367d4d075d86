package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.SignalSet;

/**
 * A way for signals from the process to one service; the forwarder is one, the handlers of the JVM are another.
 *
 * <p><b>Threading:</b> the loop's, but {@link #refused()} and {@link #displaced()}.
 */
public interface SignalCapture {
    /**
     * Attaches all, or none if it throws.
     *
     * @param evenIgnored also those that are ignored in this process
     * @return those that stay ignored and were left alone
     */
    SignalSet attach(SignalSet signals, boolean evenIgnored);

    /** Puts back what was before, as far as no other code has changed it since. */
    void detach(SignalSet signals);

    /** After everything was detached. */
    void close();

    /** Sends a signal that was detached to this process. */
    void raise(Signal signal);

    /** Attached signals whose handler is not ours any more, as far as this can be known. Any thread. */
    SignalSet displaced();

    /** How many signals could not be brought here as they were. Any thread. */
    long refused();
}
