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
 * @param platform what it does with signals depends on this, and not on the system itself
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
        Platform platform,
        Map<String, String> environment) {
    /** What the process exits with after a signal. */
    int exitCode(Signal signal) {
        return platform.exitCode(signal);
    }

    /** Whether the system has this signal; else it can only come by another way. */
    boolean delivers(Signal signal) {
        return platform.support(signal) != SignalSupport.UNSUPPORTED;
    }

    /** How long what a signal begins may take. */
    Duration timeoutOf(Signal signal) {
        return timeout == null ? SignalCatalog.timeout(signal) : timeout;
    }
}
