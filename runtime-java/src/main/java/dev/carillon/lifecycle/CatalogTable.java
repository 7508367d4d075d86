package dev.carillon.lifecycle;

import static dev.carillon.lifecycle.SignalBehavior.CUSTOM;
import static dev.carillon.lifecycle.SignalBehavior.GRACEFUL_SHUTDOWN;
import static dev.carillon.lifecycle.SignalBehavior.GRACEFUL_SHUTDOWN_WITH_DOUBLE_TAP;
import static dev.carillon.lifecycle.SignalBehavior.IMMEDIATE_EXIT;
import static dev.carillon.lifecycle.SignalBehavior.OBSERVE_ONLY;
import static dev.carillon.lifecycle.SignalBehavior.RELOAD_VIA_RESTART;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The catalog as code. A test holds it against signals.yaml, field by field, so nothing parses YAML at run time. */
final class CatalogTable {
    /** Of the standard that the catalog follows. */
    static final String VERSION = "1.0.0";

    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final Duration AT_ONCE = Duration.ZERO;

    static final List<SignalEntry> ENTRIES =
            List.of(term(), interrupt(), hup(), quit(), pipe(), alrm(), usr1(), usr2(), kill());

    private CatalogTable() {}

    private static SignalEntry term() {
        return new Row(Signal.SIGTERM, GRACEFUL_SHUTDOWN, Duration.ofSeconds(30))
                .on(WindowsEvent.CTRL_CLOSE_EVENT)
                .cleaning("close_connections", "flush_buffers", "remove_pid_file", "log_shutdown")
                .entry(
                        "Asks a process to end in good order.",
                        "What kill(1), service managers and container runtimes send first. They send SIGKILL to a "
                                + "process that takes longer than they wait, so their patience should exceed this timeout.");
    }

    private static SignalEntry interrupt() {
        return new Row(Signal.SIGINT, GRACEFUL_SHUTDOWN_WITH_DOUBLE_TAP, Duration.ofSeconds(5))
                .on(WindowsEvent.CTRL_C_EVENT)
                .cleaning("close_connections", "flush_buffers", "remove_pid_file", "log_interrupt")
                .tapped(new DoubleTapRule(
                        WINDOW,
                        "Press Ctrl+C again within 2s to force quit",
                        IMMEDIATE_EXIT,
                        Platform.LINUX.exitCode(Signal.SIGINT)))
                .entry(
                        "Interrupt from the keyboard: Ctrl+C.",
                        "The first one shuts down gracefully and prints the message; a second one within the window "
                                + "ends the process at once, even when the cleanup hangs.");
    }

    private static SignalEntry hup() {
        return new Row(Signal.SIGHUP, RELOAD_VIA_RESTART, Duration.ofSeconds(30))
                .cleaning(
                        "validate_new_config_against_schema",
                        "graceful_shutdown",
                        "restart_with_new_config",
                        "log_reload")
                .reloading(new ReloadStrategy("restart_based", true))
                .replacedBy("http_admin_endpoint", "POST /admin/signal with signal=HUP")
                .entry(
                        "The terminal has gone; for a service, by custom: use the new configuration.",
                        "A supervisor has to start the program again after exit code 129. A process below nohup "
                                + "ignores this signal.");
    }

    private static SignalEntry quit() {
        return new Row(Signal.SIGQUIT, IMMEDIATE_EXIT, AT_ONCE)
                .on(WindowsEvent.CTRL_BREAK_EVENT)
                .entry(
                        "Quit from the keyboard: Ctrl+\\.",
                        "A JVM prints a thread dump and runs on, unless the program handles the signal.");
    }

    private static SignalEntry pipe() {
        return new Row(Signal.SIGPIPE, OBSERVE_ONLY, null)
                .replacedBy("exception_handling", "Java reports a broken pipe as an IOException")
                .entry(
                        "The process wrote to a pipe or socket that nobody reads.",
                        "It applies only where the program handles it. A JVM ignores the signal, and the write fails.");
    }

    private static SignalEntry alrm() {
        return new Row(Signal.SIGALRM, IMMEDIATE_EXIT, AT_ONCE)
                .replacedBy("timer_api", "use a scheduled executor, or the timers of the loop")
                .entry(
                        "A timer of alarm(2) or setitimer(2) has run out.",
                        "It applies only where the program handles it; else the behaviour of the system stays, which "
                                + "ends the process.");
    }

    private static SignalEntry usr1() {
        return new Row(Signal.SIGUSR1, CUSTOM, null)
                .numbered(30)
                .replacedBy("http_admin_endpoint", "POST /admin/signal with signal=USR1")
                .entry(
                        "Has no meaning of its own; the program gives it one.",
                        "By custom: open log files anew. The exit code is 158 where the number is 30.");
    }

    private static SignalEntry usr2() {
        return new Row(Signal.SIGUSR2, CUSTOM, null)
                .numbered(31)
                .replacedBy("http_admin_endpoint", "POST /admin/signal with signal=USR2")
                .entry(
                        "Has no meaning of its own; the program gives it one.",
                        "By custom: show or change diagnostics. The exit code is 159 where the number is 31.");
    }

    private static SignalEntry kill() {
        return new Row(Signal.SIGKILL, IMMEDIATE_EXIT, AT_ONCE)
                .entry(
                        "Ends a process at once; no process can catch, block or ignore it.",
                        "No program can register it. Exit code 137 often means that a memory limit was reached, or "
                                + "that a supervisor lost its patience.");
    }

    /** Collects what is not the same for all. */
    private static final class Row {
        private final Signal signal;
        private final SignalBehavior behavior;
        private final @Nullable Duration timeout;
        private Map<Platform, Integer> overrides = Map.of();
        private @Nullable WindowsEvent event;
        private List<String> actions = List.of();
        private @Nullable WindowsFallback fallback;
        private @Nullable DoubleTapRule tap;
        private @Nullable ReloadStrategy reload;

        Row(Signal signal, SignalBehavior behavior, @Nullable Duration timeout) {
            this.signal = signal;
            this.behavior = behavior;
            this.timeout = timeout;
        }

        Row on(WindowsEvent value) {
            event = value;
            return this;
        }

        Row numbered(int elsewhere) {
            overrides = Map.of(Platform.MACOS, elsewhere, Platform.FREEBSD, elsewhere);
            return this;
        }

        Row cleaning(String... values) {
            actions = List.of(values);
            return this;
        }

        Row tapped(DoubleTapRule value) {
            tap = value;
            return this;
        }

        Row reloading(ReloadStrategy value) {
            reload = value;
            return this;
        }

        Row replacedBy(String instead, String hint) {
            fallback = new WindowsFallback(
                    instead,
                    "INFO",
                    signal.name() + " is not available on Windows",
                    WindowsFallback.TEMPLATE,
                    hint,
                    WindowsFallback.UNSUPPORTED_EVENT,
                    Map.of(
                            "signal", signal.name(),
                            "platform", Platform.WINDOWS.id(),
                            "fallback_behavior", instead));
            return this;
        }

        SignalEntry entry(String description, String notes) {
            return new SignalEntry(
                    AsciiNames.lower(signal.name().substring("SIG".length())),
                    signal,
                    overrides,
                    event,
                    description,
                    behavior,
                    Platform.LINUX.exitCode(signal),
                    timeout,
                    actions,
                    notes,
                    fallback,
                    tap,
                    reload);
        }
    }
}
