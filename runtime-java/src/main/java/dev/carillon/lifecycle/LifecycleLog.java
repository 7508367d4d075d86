package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.loop.log.Log;
import dev.carillon.loop.log.Log.Severity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a lifecycle logs, under the name of the class that users know. <b>Threading:</b> any thread. */
final class LifecycleLog {
    private static final Log LOG = Log.of("dev.carillon.lifecycle.Lifecycle");

    private LifecycleLog() {}

    static void received(Arrival arrival) {
        LOG.record(
                Severity.INFO,
                "A signal came",
                null,
                "signal",
                arrival.signal().name(),
                "origin",
                arrival.origin(),
                "pid",
                Integer.toString(arrival.info().pid()),
                "uid",
                Integer.toString(arrival.info().uid()));
    }

    static void unsupported(String signal, String platform, String fallback, String hint) {
        LOG.record(
                Severity.INFO,
                "Signal unavailable on " + platform,
                null,
                "signal",
                signal,
                "platform",
                platform,
                "fallback",
                fallback,
                "operation_hint",
                hint);
    }

    static void ignored(Signal signal) {
        LOG.record(
                Severity.INFO,
                "It was ignored when the process began, as nohup and a shell's & do, so it stays ignored",
                null,
                "signal",
                signal.name());
    }

    static void cannotHave(Signal signal, Throwable why) {
        LOG.record(
                Severity.ERROR,
                "The lifecycle cannot have this signal, so its handlers are not called",
                why,
                "signal",
                signal.name());
    }

    static void hangUpNotTaken(RuntimeException why) {
        LOG.record(
                Severity.INFO,
                "SIGHUP goes where it ever went in this shutdown, as the lifecycle cannot have it",
                null,
                "reason",
                String.valueOf(why.getMessage()));
    }

    static void handlerFailed(Signal signal, Throwable thrown) {
        LOG.record(
                Severity.ERROR, "A signal handler has failed; the others are called", thrown, "signal", signal.name());
    }

    static void handlersFull(Signal signal) {
        LOG.record(
                Severity.WARN,
                "Too many signals wait for the handlers, one of which does not return; this one is dropped",
                null,
                "signal",
                signal.name());
    }

    static void shutdownBegins(String why, int exitCode, Duration limit) {
        LOG.record(
                Severity.INFO,
                "The shutdown begins",
                null,
                "cause",
                why,
                "exit_code",
                Integer.toString(exitCode),
                "timeout_seconds",
                Double.toString(limit.toMillis() / 1000.0));
    }

    static void hookFailed(String name, Throwable thrown) {
        LOG.record(Severity.ERROR, "A shutdown hook has failed; the shutdown goes on", thrown, "hook", name);
    }

    static void hookCalledExit(String name) {
        LOG.record(
                Severity.WARN,
                "A shutdown hook has called System.exit, which waits for the shutdown; the shutdown goes on without it."
                        + " Let it return instead",
                null,
                "hook",
                name);
    }

    static void cut(Duration limit, List<String> undone) {
        LOG.record(
                Severity.WARN,
                "The time of the shutdown is over; the first of these did not return, the others are skipped",
                null,
                "timeout_seconds",
                Double.toString(limit.toMillis() / 1000.0),
                "undone",
                String.join(", ", undone));
    }

    static void exitFailed(int code, Throwable failure) {
        LOG.record(
                Severity.ERROR,
                "The exit hook has failed; the process is ended without it",
                failure,
                "exit_code",
                Integer.toString(code));
    }

    static void exitTakesTooLong(int code, Duration limit) {
        LOG.record(
                Severity.WARN,
                "Shutdown hooks of other libraries do not return; the process is halted",
                null,
                "exit_code",
                Integer.toString(code),
                "after_seconds",
                Double.toString(limit.toMillis() / 1000.0));
    }

    static void reloadRefused(String validator, int failures, @Nullable Throwable cause) {
        LOG.record(
                Severity.ERROR,
                "The new configuration was refused; the process goes on with the one that it has",
                cause,
                "validator",
                validator,
                "failures",
                Integer.toString(failures));
    }

    static void reloadKeepsFailing(int failures) {
        LOG.record(
                Severity.ERROR,
                "The configuration was refused again and again; look at where it comes from",
                null,
                "severity",
                "CRITICAL",
                "alert",
                Telemetry.RELOAD_FAILURES,
                "failures",
                Integer.toString(failures));
    }

    static void managerUnreachable(String socket, Throwable why) {
        LOG.record(
                Severity.WARN,
                "The service manager cannot be told how this process is; look at NOTIFY_SOCKET and WATCHDOG_USEC",
                why,
                "socket",
                socket);
    }

    static void managerDoesNotListen(Throwable why) {
        LOG.record(Severity.WARN, "The service manager was not told how this process is; this is logged once", why);
    }

    static void closedAtExit() {
        LOG.record(Severity.INFO, "The lifecycle is closed while the VM exits", null);
    }

    static void telemetryFailed(String event, Throwable thrown) {
        LOG.record(Severity.WARN, "The telemetry hook has failed", thrown, "event", event);
    }
}
