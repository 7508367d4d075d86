package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a signal leads to. It runs no code of the user: each part of that has a thread of its own, so that the next
 * signal is decided on at once, whatever hangs.
 *
 * <p>States: READY; READY -> SHUTTING_DOWN by TERM, INT, a good HUP or an exit; SHUTTING_DOWN -> EXITING when the steps are
 * done or their time is over. After a shutdown that a test has injected, the state is READY again. READY -> CLOSED by a close; a
 * close while a shutdown runs waits for its end, since nobody else would end the process.
 *
 * <p><b>Threading:</b> the loop's, but {@link #isShuttingDown} and {@link #timeLeft}.
 */
// r[impl life.own-loop]
final class Conductor {
    /** How a process ends whose exit hangs, and whose code nobody tells: the VM keeps it to itself. */
    private static final int CODE_UNKNOWN = 1;

    private final EventLoop loop;
    private final LifecycleSettings settings;
    private final Handlers handlers;
    private final HandlerCalls calls;
    private final Steps steps;
    private final DoubleTap taps;
    private final Reports reports;
    private final LifecycleLog log;
    private final Exits exits;
    private final Departures departures;
    private final Validators validators;
    private final Reload reload;
    private final ServiceManager manager;

    /** Tells those who wait for a shutdown; called on a thread of its own. */
    private final Runnable tellBegun;

    /** Called when a shutdown begins, and when one was over that ended nothing. */
    private final Runnable onTurn;

    private volatile State state = State.READY;
    private volatile long endsAt;

    /** The shutdown that runs, also after its end. */
    private volatile @Nullable ShutdownRun run;

    private @Nullable TimerHandle deadline;

    /** The process is about to end for good, and this loop watches over that. */
    private boolean isLeaving;

    /** What is to be done once the shutdown is over, as it was closed meanwhile. */
    private @Nullable Runnable closing;

    /** Where a lifecycle is. */
    enum State {
        READY,
        SHUTTING_DOWN,
        EXITING,
        CLOSED
    }

    Conductor(
            EventLoop loop,
            LifecycleSettings settings,
            Handlers handlers,
            HandlerCalls calls,
            Validators validators,
            Steps steps,
            DoubleTap taps,
            ServiceManager manager,
            Reports reports,
            Runnable tellBegun,
            Runnable onTurn) {
        this.loop = loop;
        this.settings = settings;
        this.handlers = handlers;
        this.calls = calls;
        this.validators = validators;
        this.steps = steps;
        this.taps = taps;
        this.manager = manager;
        this.reports = reports;
        log = reports.log();
        this.tellBegun = tellBegun;
        this.onTurn = onTurn;
        exits = new Exits(loop, settings.exitHook(), settings.haltAfter(), reports);
        departures = new Departures(loop, settings, handlers, exits, this::closeIfWanted);
        reload = new Reload(
                validators,
                loop,
                settings.timeoutOf(Signal.SIGHUP),
                this::reloaded,
                this::withoutValidator,
                reports,
                manager);
    }

    boolean isShuttingDown() {
        State now = state;
        return now == State.SHUTTING_DOWN || now == State.EXITING;
    }

    /** How long the shutdown may still take; zero if none runs. */
    Duration timeLeft() {
        return state == State.SHUTTING_DOWN ? Duration.ofNanos(Math.max(0, endsAt - loop.nanoTime())) : Duration.ZERO;
    }

    /**
     * Returns if it was not closed yet: who asks for something on the loop comes before the close, or after it.
     *
     * @throws RejectedExecutionException if it was closed
     */
    void ensureOpen() {
        if (state == State.CLOSED) {
            throw new RejectedExecutionException("the lifecycle is closed");
        }
    }

    /** A signal came. */
    void arrived(Arrival arrival) {
        log.received(arrival);
        tell(Telemetry.RECEIVED, Map.of("signal", arrival.signal().name(), "origin", arrival.origin()));
        switch (SignalCatalog.behavior(arrival.signal())) {
            case GRACEFUL_SHUTDOWN -> terminate(arrival);
            case GRACEFUL_SHUTDOWN_WITH_DOUBLE_TAP -> interrupt(arrival);
            case RELOAD_VIA_RESTART -> hangUp(arrival);
            case IMMEDIATE_EXIT -> departures.begin(arrival);
            // r[impl life.pipe]
            case CUSTOM, OBSERVE_ONLY -> calls.call(arrival, arrival::settled);
        }
    }

    private void tell(String event, Map<String, String> tags) {
        reports.telemetry().emit(event, tags);
    }

    private void terminate(Arrival arrival) {
        if (state == State.READY) {
            begin(Cause.of(arrival, List.of(), settings));
        } else {
            arrival.settled(0);
        }
    }

    private void interrupt(Arrival arrival) {
        switch (taps.tap(arrival.info(), loop.nanoTime())) {
            case SAME -> arrival.settled(0);
            case FORCE -> force(arrival);
            case FIRST -> {
                if (taps.canForce()) {
                    reports.console().print(taps.hint());
                }
                terminate(arrival);
            }
        }
    }

    private void force(Arrival arrival) {
        int code = settings.exitCode(arrival.signal());
        reports.console().print("Force quitting...");
        if (arrival.isTest()) {
            arrival.ended(0, code, true);
        } else {
            exits.halt(code);
        }
    }

    private void hangUp(Arrival arrival) {
        if (validators.isEmpty()) {
            withoutValidator(arrival);
        } else if (state == State.READY) {
            reload.request(arrival);
        } else {
            arrival.settled(0);
        }
    }

    private void withoutValidator(Arrival arrival) {
        calls.call(arrival, arrival::settled);
    }

    /** The new configuration is good: what starts this program again will start it with that. */
    private void reloaded(List<Arrival> asked) {
        begin(Cause.of(asked.get(0), asked.subList(1, asked.size()), settings));
    }

    /** The program asks for its end. */
    void exit(int code) {
        if (state == State.READY) {
            begin(Cause.ofProgram("exit", code, settings));
        }
    }

    /**
     * Somebody has called {@code System.exit}, or the program is at its end: the hook of the VM waits for this.
     *
     * @throws RejectedExecutionException if it is closed
     */
    ShutdownRun exitBegun() {
        ensureOpen();
        if (state == State.READY) {
            begin(Cause.ofProgram("end of the VM", Cause.NO_CODE, settings));
        }
        return run();
    }

    /**
     * Begins nothing any more.
     *
     * @param closer the thread that closes it
     * @param whenOver called at the end of the shutdown that runs, if the process lives on then
     * @return whether none runs; then it is closed now
     */
    boolean close(Thread closer, Runnable whenOver) {
        if (isEnding()) {
            closing = whenOver;
            return false;
        }
        state = State.CLOSED;
        reload.close(closer);
        return true;
    }

    /** Whether nobody but this lifecycle would end the process, which is to end. */
    private boolean isEnding() {
        return state == State.SHUTTING_DOWN || isLeaving || departures.areUnderWay();
    }

    private void closeIfWanted() {
        Runnable wanted = closing;
        if (wanted != null && !isEnding()) {
            state = State.CLOSED;
            wanted.run();
        }
    }

    private ShutdownRun run() {
        ShutdownRun begun = run;
        if (begun == null) {
            throw new IllegalStateException("no shutdown has begun");
        }
        return begun;
    }

    private void begin(Cause cause) {
        state = State.SHUTTING_DOWN;
        endsAt = loop.nanoTime() + cause.limit().toNanos();
        log.shutdownBegins(cause.text(), cause.exitCode(), cause.limit());
        onTurn.run();
        manager.stopping();
        reload.cancel();
        Arrival arrival = cause.arrival();
        AtomicInteger called = new AtomicInteger();
        ShutdownRun fresh = new ShutdownRun(
                steps.begin(),
                () -> endsAt - loop.nanoTime() > 0,
                () -> loop.execute(() -> over(cause, called.get(), List.of())),
                log);
        run = fresh;
        deadline = loop.schedule(cause.limit(), () -> cut(fresh, cause, called));
        fresh.start(tellBegun, () -> {
            if (arrival != null) {
                called.set(handlers.call(arrival.info()));
            }
        });
    }

    private void cut(ShutdownRun running, Cause cause, AtomicInteger called) {
        List<String> undone = running.cut();
        if (undone != null) {
            log.cut(cause.limit(), undone);
            over(cause, called.get(), undone);
        }
    }

    private void over(Cause cause, int called, List<String> undone) {
        if (state != State.SHUTTING_DOWN) {
            return;
        }
        ShutdownRun ended = run();
        end(cause, called, undone);
        ended.endIsDecided();
        closeIfWanted();
    }

    private Duration sinceBegin(Cause cause) {
        return cause.limit().plusNanos(loop.nanoTime() - endsAt);
    }

    private void end(Cause cause, int called, List<String> undone) {
        TimerHandle timer = deadline;
        if (timer != null) {
            timer.cancel();
        }
        tell(
                Telemetry.SHUTDOWN,
                Map.of(
                        "exit_code", Integer.toString(cause.exitCode()),
                        "millis", Long.toString(sinceBegin(cause).toMillis()),
                        "skipped", Integer.toString(undone.size())));
        if (cause.isTest()) {
            state = State.READY;
            steps.reopen();
            manager.goesOn();
            onTurn.run();
            cause.ended(called);
            return;
        }
        state = State.EXITING;
        isLeaving = cause.exitCode() == Cause.NO_CODE || exits.endTheProcess();
        if (cause.exitCode() == Cause.NO_CODE) {
            exits.haltLater(CODE_UNKNOWN);
        } else {
            exits.exit(cause.exitCode());
        }
    }
}
