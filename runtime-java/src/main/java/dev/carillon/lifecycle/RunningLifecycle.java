package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.ExitHold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lifecycle that was started: its loop, the signals that it has, and its hook in the end of the VM.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RunningLifecycle {
    private static final Duration FOR_EVER = Duration.ofDays(100_000);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final LifecycleSettings settings;
    private final Handlers handlers;
    private final Validators validators;
    private final EventLoop loop;
    private final HandlerCalls calls;
    private final Conductor conductor;
    private final ServiceManager manager;
    private final Intake intake;
    private final Reports reports;
    private final LoopTurns turns;

    /** Hooks of the shutdown may need the loops of the program. */
    private final ExitHold hold;

    private final Thread atExit = new Thread(this::onExit, "carillon-lifecycle-exit");

    private RunningLifecycle(
            EventLoop loop,
            LifecycleSettings settings,
            Handlers handlers,
            Validators validators,
            Steps steps,
            DoubleTap taps,
            Reports reports,
            Runnable tellBegun) {
        this.settings = settings;
        this.reports = reports;
        turns = new LoopTurns(loop);
        this.handlers = handlers;
        this.validators = validators;
        this.loop = loop;
        LifecycleLog log = reports.log();
        calls = new HandlerCalls(handlers, settings.executor(), log);
        manager = ServiceManager.of(
                loop, settings.environment(), ProcessHandle.current().pid(), log);
        conductor = new Conductor(
                loop,
                settings,
                handlers,
                calls,
                validators,
                steps,
                taps,
                manager,
                reports,
                tellBegun,
                this::syncHangUp);
        intake = new Intake(loop, settings.signals().toBuilder().lends(true).build(), conductor::arrived, log);
        hold = EventLoop.holdExit(FOR_EVER);
    }

    /** Takes everything, or nothing if it throws. */
    // r[impl life.start]
    static RunningLifecycle start(
            LifecycleSettings settings,
            Handlers handlers,
            Validators validators,
            Steps steps,
            DoubleTap taps,
            Reports reports,
            Runnable tellBegun) {
        EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                .name("carillon-lifecycle")
                .daemon(true)
                .throughExit(true)
                .errorHandler((failed, error) -> reports.log().failed(error))
                .build());
        RunningLifecycle fresh = null;
        boolean isComplete = false;
        try {
            reports.open();
            fresh = new RunningLifecycle(loop, settings, handlers, validators, steps, taps, reports, tellBegun);
            fresh.begin();
            isComplete = true;
            return fresh;
        } finally {
            if (!isComplete) {
                giveBack(loop, fresh, reports);
                steps.reopen();
            }
        }
    }

    private static void giveBack(EventLoop loop, @Nullable RunningLifecycle unfinished, Reports reports) {
        if (unfinished != null) {
            unfinished.closeNow();
        } else {
            loop.close();
            reports.close();
        }
    }

    private void begin() {
        loop.start();
        turns.call(() -> {
            reports.log().speaksForThisThread();
            for (int number = 1; number <= Signal.LAST; number++) {
                syncOnLoop(Signal.of(number));
            }
            manager.start();
            return true;
        });
        addHook();
    }

    private void addHook() {
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
        } catch (IllegalStateException exits) {
            throw new IllegalStateException("the VM exits already, so no lifecycle can start", exits);
        }
    }

    // r[impl life.intercept-little]
    static boolean wants(Signal signal, Handlers handlers, Validators validators) {
        return switch (SignalCatalog.behavior(signal)) {
            case GRACEFUL_SHUTDOWN, GRACEFUL_SHUTDOWN_WITH_DOUBLE_TAP -> true;
            case RELOAD_VIA_RESTART -> !validators.isEmpty() || handlers.has(signal);
            case IMMEDIATE_EXIT, CUSTOM, OBSERVE_ONLY -> handlers.has(signal);
        };
    }

    Conductor conductor() {
        return conductor;
    }

    /** Takes a signal that is wanted, or gives it back if it is not wanted any more. */
    void sync(Signal signal) {
        try {
            turns.call(() -> {
                syncOnLoop(signal);
                return true;
            });
        } catch (RejectedExecutionException closed) {
            // It was closed meanwhile, and has given everything back.
        }
    }

    private void syncOnLoop(Signal signal) {
        if (settings.delivers(signal) && (wants(signal, handlers, validators) || isUntimely(signal))) {
            intake.open(signal);
        } else {
            intake.close(signal);
        }
    }

    /** The VM exits with 129 when HUP comes. In a shutdown that would be a second exit, which overtakes the first one's code. */
    private boolean isUntimely(Signal signal) {
        return signal.equals(Signal.SIGHUP) && conductor.isShuttingDown();
    }

    private void syncHangUp() {
        try {
            syncOnLoop(Signal.SIGHUP);
        } catch (RuntimeException notOurs) {
            reports.log().hangUpNotTaken(notOurs);
        }
    }

    /**
     * Has something done on the loop before a close, or not at all. The loop has one order for both: what comes there before
     * the close takes effect, and what comes after it is refused.
     *
     * @throws IllegalStateException if the close was first
     */
    // r[impl life.close]
    private <T> T call(String operation, Supplier<T> action) {
        try {
            return turns.call(() -> {
                conductor.ensureOpen();
                return action.get();
            });
        } catch (RejectedExecutionException closed) {
            throw Lifecycle.absent(operation, "was closed");
        }
    }

    private void run(String operation, Runnable action) {
        call(operation, () -> {
            action.run();
            return true;
        });
    }

    SignalSet displaced() {
        return call("displaced()", intake::displaced);
    }

    /** The program serves. */
    void ready() {
        run("ready()", manager::ready);
    }

    /** A sentence for the service manager. */
    void status(String text) {
        run("status()", () -> manager.status(text));
    }

    /** A loop that the watchdog of the service manager is about. */
    void watch(EventLoop watched) {
        run("watch()", () -> manager.watch(watched));
    }

    CompletableFuture<SignalOutcome> inject(SignalInfo info) {
        CompletableFuture<SignalOutcome> outcome = new CompletableFuture<>();
        Arrival arrival = new Arrival(info, Arrival.FROM_TEST, outcome);
        // What depends on it is code of the program, which runs on no loop; and what is told of the signal comes first.
        CompletableFuture<SignalOutcome> told = outcome.thenApplyAsync(
                decided -> {
                    reports.flush();
                    return decided;
                },
                task -> Threads.begin("carillon-test-outcome", task));
        if (settings.delivers(info.signal())) {
            run("injectForTest()", () -> conductor.arrived(arrival));
        } else {
            arrival.settled(0);
        }
        return told;
    }

    void dispatch(SignalInfo info, String origin) {
        run("dispatch()", () -> conductor.arrived(new Arrival(info, origin, null)));
    }

    /** When this returns, the shutdown has a thread that keeps the VM alive. A shutdown that runs already decides. */
    void exit(int code) {
        if (!conductor.isShuttingDown()) {
            run("exit()", () -> conductor.exit(code));
        }
    }

    /** The VM exits, whoever has asked for that: what the shutdown has not done yet is done now. */
    private void onExit() {
        try {
            ShutdownRun run = turns.call(conductor::exitBegun);
            // The loop cuts it at its deadline; without the loop nobody would, and the exit does not wait for ever.
            while (!loop.isTerminated() && !run.awaitEnd(LOOK_AGAIN.toNanos())) {
                String stuck = run.passOverExit();
                if (stuck != null) {
                    reports.log().hookCalledExit(stuck);
                }
            }
            // When this hook has returned, the VM is gone: what the loop tells of the end comes before.
            run.awaitDecision(LoopTurns.TAKES_EFFECT.toNanos());
            reports.flush();
        } catch (RejectedExecutionException closed) {
            // There is nothing to be shut down any more.
        } catch (InterruptedException stopWaiting) {
            Thread.currentThread().interrupt();
        } finally {
            hold.close();
        }
    }

    /** Gives everything back; where a shutdown runs, after that, if the process lives on then. */
    void close(Runnable whenClosed) {
        Runnable all = () -> {
            closeNow();
            whenClosed.run();
        };
        if (isIdle(all)) {
            all.run();
        }
    }

    private boolean isIdle(Runnable whenOver) {
        Thread closer = Thread.currentThread();
        try {
            // A signal that has come by now is still the lifecycle's: TERM begins the shutdown, which the close then
            // waits for.
            return turns.callAfterALook(() -> {
                boolean isIdle = conductor.close(closer, whenOver);
                if (isIdle) {
                    intake.closeAll();
                }
                return isIdle;
            });
        } catch (RejectedExecutionException ended) {
            return true;
        }
    }

    private void closeNow() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exits) {
            // The hook runs already, and sees that the loop is closed.
            reports.log().closedAtExit();
        }
        boolean isOnLoop = loop.inLoop();
        try {
            if (isOnLoop) {
                // Before anything else runs here: nobody decides on a signal any more.
                intake.closeAll();
            }
            manager.close();
            loop.close();
            calls.close();
        } finally {
            hold.close();
            reports.close();
        }
        if (!isOnLoop) {
            reports.flush();
        }
    }
}
