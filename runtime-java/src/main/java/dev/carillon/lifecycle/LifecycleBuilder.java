package dev.carillon.lifecycle;

import dev.carillon.signal.SignalOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Collects what a {@link Lifecycle} is to be like. <b>Threading:</b> one thread. */
public final class LifecycleBuilder {
    private static final Duration LONGEST = Duration.ofDays(1);

    private @Nullable Duration timeout;
    private Duration window = SignalCatalog.doubleTapWindow();
    private Duration haltAfter = Duration.ofSeconds(10);
    private boolean isQuiet;
    private PrintStream console = System.err;
    private @Nullable Executor executor;
    private ExitHook exitHook = ExitHook.ofVm();
    private Telemetry telemetry = Telemetry.NONE;
    private SignalOptions signals = SignalOptions.defaults();
    private Platform platform = Platform.current();
    private boolean tellsManager = true;

    LifecycleBuilder() {}

    /**
     * How long a shutdown may take, with all its phases. Default: 30 seconds for TERM, HUP and an exit of the program, 5
     * seconds for INT.
     */
    public LifecycleBuilder timeout(Duration value) {
        timeout = checked("timeout", value);
        return this;
    }

    /** Within which time a second Ctrl+C ends the process at once. Default 2 seconds; zero: it never does. */
    public LifecycleBuilder doubleTapWindow(Duration value) {
        window = checked("doubleTapWindow", value);
        return this;
    }

    /**
     * How long shutdown hooks of other libraries may take after our own are done; then the process is halted, with the same
     * exit code. If the program has called {@code System.exit} by itself, or has come to its end, it is halted with 1, since the
     * VM does not tell the code. Default 10 seconds.
     */
    public LifecycleBuilder haltAfter(Duration value) {
        haltAfter = checked("haltAfter", value);
        return this;
    }

    /** Default false: the first Ctrl+C prints a hint to standard error. */
    public LifecycleBuilder quiet(boolean value) {
        isQuiet = value;
        return this;
    }

    /** Where the hint goes. Default standard error. */
    public LifecycleBuilder console(PrintStream value) {
        console = Objects.requireNonNull(value, "console");
        return this;
    }

    /**
     * What calls the handlers of signals; it is given them on a thread of the lifecycle, and may call them there. Default: one
     * daemon thread, which they share.
     */
    public LifecycleBuilder handlerExecutor(Executor value) {
        executor = Objects.requireNonNull(value, "handlerExecutor");
        return this;
    }

    /** How the process ends. Default {@link ExitHook#ofVm}. */
    public LifecycleBuilder exitHook(ExitHook value) {
        exitHook = Objects.requireNonNull(value, "exitHook");
        return this;
    }

    /** Default {@link Telemetry#NONE}. */
    public LifecycleBuilder telemetry(Telemetry value) {
        telemetry = Objects.requireNonNull(value, "telemetry");
        return this;
    }

    /** How the signals are attached. Default {@link SignalOptions#defaults}. */
    public LifecycleBuilder signalOptions(SignalOptions value) {
        signals = Objects.requireNonNull(value, "signalOptions");
        return this;
    }

    /**
     * Which signals the system delivers, and with which numbers. Default {@link Platform#current}; another one shows a test how
     * the program behaves there.
     */
    public LifecycleBuilder platform(Platform value) {
        platform = Objects.requireNonNull(value, "platform");
        return this;
    }

    /**
     * Default true: the service manager that has started this process, if NOTIFY_SOCKET names one, is told when the program is
     * {@link Lifecycle#ready ready}, reloads and stops, and that it is alive.
     */
    public LifecycleBuilder notifyServiceManager(boolean value) {
        tellsManager = value;
        return this;
    }

    private static Duration checked(String name, Duration value) {
        if (value.isNegative() || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + "=" + value + ": from zero to " + LONGEST.toHours() + " hours");
        }
        return value;
    }

    /** One that has not started. */
    public Lifecycle build() {
        return new Lifecycle(settings(tellsManager ? System.getenv() : Map.of()));
    }

    /** What was collected, in an environment that may name a service manager. */
    LifecycleSettings settings(Map<String, String> environment) {
        return new LifecycleSettings(
                timeout,
                window,
                haltAfter,
                isQuiet,
                console,
                executor,
                exitHook,
                telemetry,
                signals,
                platform,
                environment);
    }
}
