package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;

/** How many listen to each signal also between two waits, see {@link SignalClaim}. <b>Threading:</b> the loop's. */
final class Listeners {
    private final int[] counts = new int[Signal.LAST + 1];

    boolean has(Signal signal) {
        return counts[signal.number()] > 0;
    }

    /** One more listens to these. */
    void begin(SignalSet signals) {
        signals.forEach(signal -> counts[signal.number()]++);
    }

    /** One listens to these no more. */
    void end(SignalSet signals) {
        signals.forEach(signal -> counts[signal.number()]--);
    }

    /** Those of these that nobody listens to. */
    SignalSet without(SignalSet signals) {
        SignalSet left = signals;
        for (Signal signal : signals) {
            if (has(signal)) {
                left = left.minus(signal);
            }
        }
        return left;
    }
}
