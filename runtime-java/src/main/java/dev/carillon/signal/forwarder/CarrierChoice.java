package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import org.jspecify.annotations.Nullable;

/** Which real-time signal carries the others when a pipe is full. <b>Threading:</b> any thread. */
public final class CarrierChoice {
    /** The property that names it. */
    public static final String PROPERTY = "carillon.signals.carrier";

    private CarrierChoice() {}

    /** The one that the property names, or the highest that is not in use; it is this copy's from now on. */
    static Signal claim(Sys sys, @Nullable String property) {
        if (property != null) {
            return claimNamed(sys, property);
        }
        int vmSignal = VmSignals.suspending();
        for (int number = Signal.LAST; Signal.of(number).isRealtime(); number--) {
            Signal signal = Signal.of(number);
            if (number != vmSignal && isFree(sys, signal) && CopyOwners.claim(signal) == null) {
                return signal;
            }
        }
        throw new UnsupportedOperationException(
                "every real-time signal has a handler already, none is left to carry the others");
    }

    private static Signal claimNamed(Sys sys, String property) {
        Signal signal = Signal.named(property);
        if (!signal.isRealtime()) {
            throw new IllegalArgumentException("-D" + PROPERTY + "=" + property
                    + ": only a real-time signal queues; name one from SIGRTMIN to SIGRTMAX, or leave it out");
        }
        if (!isFree(sys, signal) || CopyOwners.claim(signal) != null) {
            throw new IllegalArgumentException("-D" + PROPERTY + "=" + property + ": " + signal
                    + " is taken by somebody else's handler; name another one, or leave it out");
        }
        return signal;
    }

    private static boolean isFree(Sys sys, Signal signal) {
        return !signal.equals(VmSignals.OF_THE_JDK)
                && !CopyOwners.isClaimed(signal)
                && sys.signals().action(signal.number()).handler() == SignalAction.DEFAULT;
    }
}
