package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import org.jspecify.annotations.Nullable;

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

    /**
     * Forgets an attached signal without putting anything back: another capture of this kind takes it over from here, and no
     * instant is left at which the signal does what it did before. Null if it is not attached here.
     */
    @Nullable
    Handover handOver(Signal signal);

    /** Takes a signal over, on the loop that it is to come to. */
    void takeOver(Signal signal, Handover handover);

    /**
     * A signal on its way from one capture to another.
     *
     * @param saved what it did before us
     * @param end after the takeover, on the loop that had it before
     */
    record Handover(Object saved, Runnable end) {}

    /** After everything was detached. */
    void close();

    /** Sends a signal that was detached to this process. */
    void raise(Signal signal);

    /** Attached signals whose handler is not ours any more, as far as this can be known. Any thread. */
    SignalSet displaced();

    /** How many signals could not be brought here as they were. Any thread. */
    long refused();
}
