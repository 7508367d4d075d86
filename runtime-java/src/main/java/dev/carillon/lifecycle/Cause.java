package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a shutdown begins.
 *
 * @param arrival the signal; null if the program asked for it
 * @param alsoAsked other signals that it answers
 * @param exitCode of the exit at its end; {@link #NO_CODE} if the VM exits already
 */
record Cause(String text, @Nullable Arrival arrival, List<Arrival> alsoAsked, int exitCode, Duration limit) {
    /** The end of the VM has begun elsewhere, with a code of its own. */
    static final int NO_CODE = -1;

    static Cause of(Arrival arrival, List<Arrival> alsoAsked, LifecycleSettings settings) {
        Signal signal = arrival.signal();
        return new Cause(signal.name(), arrival, alsoAsked, settings.exitCode(signal), settings.timeoutOf(signal));
    }

    static Cause ofProgram(String text, int exitCode, LifecycleSettings settings) {
        return new Cause(text, null, List.of(), exitCode, settings.timeoutOf(Signal.SIGTERM));
    }

    boolean isTest() {
        return arrival != null && arrival.isTest();
    }

    /** Tells the tests how it has ended. */
    void ended(int called) {
        if (arrival != null) {
            arrival.ended(called, exitCode, false);
        }
        alsoAsked.forEach(other -> other.ended(0, exitCode, false));
    }
}
