package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.signal.SignalOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What {@link LifecycleBuilder} has collected.
 *
 * @param timeout of every shutdown; null: the catalog's for each signal
 * @param window of the double tap
 * @param environment names the service manager
 * @param executor calls the handlers; null: a thread of the lifecycle
 */
record LifecycleSettings(
        @Nullable Duration timeout,
        Duration window,
        Duration haltAfter,
        boolean isQuiet,
        PrintStream console,
        @Nullable Executor executor,
        ExitHook exitHook,
        Telemetry telemetry,
        SignalOptions signals,
        Map<String, String> environment) {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final Duration INT = Duration.ofSeconds(5);

    /** How long what a signal begins may take. */
    Duration timeoutOf(Signal signal) {
        if (timeout != null) {
            return timeout;
        }
        return signal.equals(Signal.SIGINT) ? INT : TERM;
    }
}
