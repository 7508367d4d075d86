package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.signal.Signals;
import org.jspecify.annotations.Nullable;

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
     * Does not wait until that has been done.
     *
     * @param origin where it came from, for the log
     * @throws IllegalStateException if nobody takes it: nothing handles it, or the lifecycle has not started or is closed
     */
    void dispatch(Signal signal, String origin);

    /** The system that delivers signals here, and gives them their numbers. */
    default Platform platform() {
        return Platform.current();
    }

    /**
     * The signal of the catalog that a name or a number means here, see {@link SignalCatalog#resolve(String, Platform)}.
     *
     * @return null if it means none
     */
    default @Nullable Signal resolve(String name) {
        return SignalCatalog.resolve(name, platform());
    }

    /**
     * Whether the system delivers this signal to a program, by itself or as an event that stands for it. Else its handlers are
     * called only when it comes by another way.
     */
    default boolean supportsSignal(Signal signal) {
        return Signals.canBeAttached(signal) && platform().support(signal) != SignalSupport.UNSUPPORTED;
    }

    /** As {@link #supportsSignal(Signal)}, for a name or a number; false for what is no signal of the catalog. */
    default boolean supportsSignal(String name) {
        Signal signal = resolve(name);
        return signal != null && supportsSignal(signal);
    }
}
