package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
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
    private final Console console;
    private final Exits exits;
    private final TelemetryDoor telemetry;
    private final Validators validators;
    private final Reload reload;
    private final ServiceManager manager;

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
            Runnable onTurn) {
        this.loop = loop;
        this.settings = settings;
        this.handlers = handlers;
        this.calls = calls;
        this.validators = validators;
        this.steps = steps;
        this.taps = taps;
        this.manager = manager;
        this.onTurn = onTurn;
        console = new Console(settings.console(), settings.isQuiet());
        exits = new Exits(loop, settings.exitHook(), settings.haltAfter());
        telemetry = new TelemetryDoor(settings.telemetry());
        reload = new Reload(validators, loop, settings.timeoutOf(Signal.SIGHUP), this::reloaded, telemetry, manager);
    }

    boolean isShuttingDown() {
        State now = state;
        return now == State.SHUTTING_DOWN || now == State.EXITING;
    }

    /** How long the shutdown may still take; zero if none runs. */
    Duration timeLeft() {
        return state == State.SHUTTING_DOWN ? Duration.ofNanos(Math.max(0, endsAt - loop.nanoTime())) : Duration.ZERO;
    }

    /** A signal came. */
    void arrived(Arrival arrival) {
        LifecycleLog.received(arrival);
        telemetry.emit(Telemetry.RECEIVED, Map.of("signal", arrival.signal().name(), "origin", arrival.origin()));
        switch (Meaning.of(arrival.signal())) {
            case SHUTDOWN -> terminate(arrival);
            case DOUBLE_TAP -> interrupt(arrival);
            case RELOAD -> hangUp(arrival);
            case IMMEDIATE -> leaveAtOnce(arrival);
            case HANDLERS -> calls.call(arrival, arrival::settled);
        }
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
                    console.print(taps.hint());
                }
                terminate(arrival);
            }
        }
    }

    private void force(Arrival arrival) {
        int code = Meaning.exitCode(arrival.signal());
        console.printLast("Force quitting...");
        if (arrival.isTest()) {
            arrival.ended(0, code, true);
        } else {
            exits.halt(code);
        }
    }

    private void hangUp(Arrival arrival) {
        if (validators.isEmpty()) {
            calls.call(arrival, arrival::settled);
        } else if (state == State.READY) {
            reload.request(arrival);
        } else {
            arrival.settled(0);
        }
    }

    /** The new configuration is good: what starts this program again will start it with that. */
    private void reloaded(List<Arrival> asked) {
        begin(Cause.of(asked.get(0), asked.subList(1, asked.size()), settings));
    }

    // r[impl life.quit]
    private void leaveAtOnce(Arrival arrival) {
        int code = Meaning.exitCode(arrival.signal());
        IntConsumer leave = called -> {
            if (arrival.isTest()) {
                arrival.ended(called, code, true);
            } else {
                exits.halt(code);
            }
        };
        if (!arrival.isTest()) {
            loop.schedule(settings.haltAfter(), () -> exits.halt(code));
        }
        Thread thread = new Thread(
                () -> {
                    int called = handlers.call(arrival.info());
                    loop.execute(() -> leave.accept(called));
                },
                "carillon-leave");
        thread.setDaemon(true);
        thread.start();
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
        if (state == State.CLOSED) {
            throw new RejectedExecutionException("the lifecycle is closed");
        }
        if (state == State.READY) {
            begin(Cause.ofProgram("end of the VM", Cause.NO_CODE, settings));
        }
        return run();
    }

    /**
     * Begins nothing any more.
     *
     * @param whenOver called at the end of the shutdown that runs, if the process lives on then
     * @return whether none runs; then it is closed now
     */
    boolean close(Runnable whenOver) {
        if (state == State.SHUTTING_DOWN || isLeaving) {
            closing = whenOver;
            return false;
        }
        state = State.CLOSED;
        return true;
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
        LifecycleLog.shutdownBegins(cause.text(), cause.exitCode(), cause.limit());
        onTurn.run();
        manager.stopping();
        reload.cancel();
        Arrival arrival = cause.arrival();
        AtomicInteger called = new AtomicInteger();
        ShutdownRun fresh =
                new ShutdownRun(steps.begin(), () -> loop.execute(() -> over(cause, called.get(), List.of())));
        run = fresh;
        deadline = loop.schedule(cause.limit(), () -> cut(fresh, cause, called));
        fresh.start(() -> {
            if (arrival != null) {
                called.set(handlers.call(arrival.info()));
            }
        });
    }

    private void cut(ShutdownRun running, Cause cause, AtomicInteger called) {
        List<String> undone = running.cut();
        if (undone != null) {
            LifecycleLog.cut(cause.limit(), undone);
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
        Runnable wanted = closing;
        if (wanted != null && !isLeaving) {
            state = State.CLOSED;
            wanted.run();
        }
    }

    private void end(Cause cause, int called, List<String> undone) {
        TimerHandle timer = deadline;
        if (timer != null) {
            timer.cancel();
        }
        telemetry.emit(
                Telemetry.SHUTDOWN,
                Map.of(
                        "exit_code", Integer.toString(cause.exitCode()),
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
