package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A signal that came, by whatever way.
 *
 * @param origin where it came from, for the log
 * @param test gets the outcome of one that a test injected, which must not end the process; else null
 */
record Arrival(SignalInfo info, String origin, @Nullable CompletableFuture<SignalOutcome> test) {
    static final String FROM_SYSTEM = "system";
    static final String FROM_TEST = "test";

    Signal signal() {
        return info.signal();
    }

    boolean isTest() {
        return test != null;
    }

    /** The process goes on. */
    void settled(int handlers) {
        settle(new SignalOutcome(signal(), handlers, OptionalInt.empty(), false));
    }

    /** The process would end. */
    void ended(int handlers, int exitCode, boolean isForced) {
        settle(new SignalOutcome(signal(), handlers, OptionalInt.of(exitCode), isForced));
    }

    private void settle(SignalOutcome outcome) {
        if (test != null) {
            test.complete(outcome);
        }
    }
}
