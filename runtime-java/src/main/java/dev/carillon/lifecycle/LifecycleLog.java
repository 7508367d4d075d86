package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.loop.log.Log;
import dev.carillon.loop.log.Log.Severity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a lifecycle logs, under the name of the class that users know. A log may block, so a thread of its own does that.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LifecycleLog {
    private static final Log LOG = Log.of("dev.carillon.lifecycle.Lifecycle");

    private final Lane lane = new Lane("carillon-log", lost -> tellLost("records of this log", lost));

    Lane lane() {
        return lane;
    }

    /** What anything logs on this thread comes by the same way. */
    void speaksForThisThread() {
        Log.sayElsewhere(lane::add);
    }

    private void record(Severity severity, String message, @Nullable Throwable cause, String... fields) {
        lane.add(() -> LOG.record(severity, message, cause, fields));
    }

    void received(Arrival arrival) {
        record(
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

    void unsupported(String message, String signal, String platform, String fallback, String hint) {
        record(
                Severity.INFO,
                message,
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

    void ignored(Signal signal) {
        record(
                Severity.INFO,
                "It was ignored when the process began, as nohup and a shell's & do, so it stays ignored",
                null,
                "signal",
                signal.name());
    }

    void hangUpNotTaken(RuntimeException why) {
        record(
                Severity.INFO,
                "SIGHUP goes where it ever went in this shutdown, as the lifecycle cannot have it",
                null,
                "reason",
                String.valueOf(why.getMessage()));
    }

    void handlerFailed(Signal signal, Throwable thrown) {
        record(Severity.ERROR, "A signal handler has failed; the others are called", thrown, "signal", signal.name());
    }

    void handlersRefused(Signal signal, Throwable refusal) {
        record(
                Severity.WARN,
                "The executor of the handlers has refused this signal; they are not called",
                refusal,
                "signal",
                signal.name());
    }

    void handlersFull(Signal signal) {
        record(
                Severity.WARN,
                "Too many signals wait for the handlers: one of these, or their executor, does not return; this one is dropped",
                null,
                "signal",
                signal.name());
    }

    void shutdownBegins(String why, int exitCode, Duration limit) {
        record(
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

    void hookFailed(String name, Throwable thrown) {
        record(Severity.ERROR, "A shutdown hook has failed; the shutdown goes on", thrown, "hook", name);
    }

    void hookCalledExit(String name) {
        record(
                Severity.WARN,
                "A shutdown hook has called System.exit, which waits for the shutdown; the shutdown goes on without it."
                        + " Let it return instead",
                null,
                "hook",
                name);
    }

    void cut(Duration limit, List<String> undone) {
        record(
                Severity.WARN,
                "The time of the shutdown is over; what of these had begun did not return, the others are skipped",
                null,
                "timeout_seconds",
                Double.toString(limit.toMillis() / 1000.0),
                "undone",
                String.join(", ", undone));
    }

    void exitFailed(int code, Throwable failure) {
        record(
                Severity.ERROR,
                "The exit hook has failed; the process is ended without it",
                failure,
                "exit_code",
                Integer.toString(code));
    }

    void exitTakesTooLong(int code, Duration limit) {
        record(
                Severity.WARN,
                "Shutdown hooks of other libraries do not return; the process is halted",
                null,
                "exit_code",
                Integer.toString(code),
                "after_seconds",
                Double.toString(limit.toMillis() / 1000.0));
    }

    void reloadRefused(String validator, int failures, @Nullable Throwable cause) {
        record(
                Severity.ERROR,
                "The new configuration was refused; the process goes on with the one that it has",
                cause,
                "validator",
                validator,
                "failures",
                Integer.toString(failures));
    }

    void reloadKeepsFailing(int failures) {
        record(
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

    void managerUnreachable(String socket, Throwable why) {
        record(
                Severity.WARN,
                "The service manager cannot be told how this process is; look at NOTIFY_SOCKET",
                why,
                "socket",
                socket);
    }

    void watchdogIsOff(Throwable why) {
        record(Severity.WARN, "The watchdog of the service manager hears nothing; look at WATCHDOG_USEC", why);
    }

    void managerDoesNotListen(Throwable why) {
        record(Severity.WARN, "The service manager was not told how this process is; this is logged once", why);
    }

    void closedAtExit() {
        record(Severity.INFO, "The lifecycle is closed while the VM exits", null);
    }

    void failed(Throwable error) {
        record(Severity.ERROR, "Something in the lifecycle has failed, which goes on", error);
    }

    void telemetryFailed(String event, Throwable thrown) {
        record(Severity.WARN, "The telemetry hook has failed", thrown, "event", event);
    }

    /** Not in turn, where it is the log that did not take them: these are before what waits still. */
    private static void tellLost(String what, long count) {
        LOG.record(
                Severity.WARN,
                "What hung goes on; meanwhile too many came, and these were dropped",
                null,
                "what",
                what,
                "count",
                Long.toString(count));
    }

    void lost(String what, long count) {
        lane.add(() -> tellLost(what, count));
    }
}
