package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.ExitHold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A lifecycle that was started: its loop, the signals that it has, and its hook in the end of the VM.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RunningLifecycle {
    private static final Duration TAKES_EFFECT = Duration.ofSeconds(10);
    private static final Duration FOR_EVER = Duration.ofDays(100_000);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final Handlers handlers;
    private final Validators validators;
    private final EventLoop loop;
    private final HandlerCalls calls;
    private final Conductor conductor;
    private final ServiceManager manager;
    private final Intake intake;

    /** Hooks of the shutdown may need the loops of the program. */
    private final ExitHold hold;

    private final Thread atExit = new Thread(this::onExit, "carillon-lifecycle-exit");

    private RunningLifecycle(
            EventLoop loop,
            LifecycleSettings settings,
            Handlers handlers,
            Validators validators,
            Steps steps,
            DoubleTap taps) {
        this.handlers = handlers;
        this.validators = validators;
        this.loop = loop;
        calls = new HandlerCalls(handlers, settings.executor());
        manager = ServiceManager.of(
                loop, settings.environment(), ProcessHandle.current().pid());
        conductor = new Conductor(loop, settings, handlers, calls, validators, steps, taps, manager, this::syncHangUp);
        intake = new Intake(loop, settings.signals().toBuilder().lends(true).build(), conductor::arrived);
        hold = EventLoop.holdExit(FOR_EVER);
    }

    /** Takes everything, or nothing if it throws. */
    static RunningLifecycle start(
            LifecycleSettings settings, Handlers handlers, Validators validators, Steps steps, DoubleTap taps) {
        EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                .name("carillon-lifecycle")
                .daemon(true)
                .throughExit(true)
                .build());
        RunningLifecycle fresh = new RunningLifecycle(loop, settings, handlers, validators, steps, taps);
        boolean isComplete = false;
        try {
            loop.start();
            fresh.onLoop(() -> {
                for (int number = 1; number <= Signal.LAST; number++) {
                    fresh.syncOnLoop(Signal.of(number));
                }
                fresh.manager.start();
                return true;
            });
            fresh.addHook();
            isComplete = true;
        } finally {
            if (!isComplete) {
                fresh.closeNow();
            }
        }
        return fresh;
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
        return switch (Meaning.of(signal)) {
            case SHUTDOWN, DOUBLE_TAP -> true;
            case RELOAD -> !validators.isEmpty() || handlers.has(signal);
            case IMMEDIATE, HANDLERS -> handlers.has(signal);
        };
    }

    Conductor conductor() {
        return conductor;
    }

    /** Takes a signal that is wanted, or gives it back if it is not wanted any more. */
    void sync(Signal signal) {
        try {
            onLoop(() -> {
                syncOnLoop(signal);
                return true;
            });
        } catch (RejectedExecutionException closed) {
            // It was closed meanwhile, and has given everything back.
        }
    }

    private void syncOnLoop(Signal signal) {
        if (wants(signal, handlers, validators) || isUntimely(signal)) {
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
            LifecycleLog.hangUpNotTaken(notOurs);
        }
    }

    /** The program serves. */
    void ready() {
        onLoop(() -> {
            manager.ready();
            return true;
        });
    }

    /** A sentence for the service manager. */
    void status(String text) {
        loop.execute(() -> manager.status(text));
    }

    /** A loop that the watchdog of the service manager is about. */
    void watch(EventLoop watched) {
        manager.watch(watched);
    }

    CompletableFuture<SignalOutcome> inject(SignalInfo info) {
        CompletableFuture<SignalOutcome> outcome = new CompletableFuture<>();
        loop.execute(() -> conductor.arrived(new Arrival(info, Arrival.FROM_TEST, outcome)));
        return outcome;
    }

    void dispatch(SignalInfo info, String origin) {
        loop.execute(() -> conductor.arrived(new Arrival(info, origin, null)));
    }

    void exit(int code) {
        loop.execute(() -> conductor.exit(code));
    }

    /**
     * Has something done on the loop. It waits for that, unless it would block another loop: user code never holds up this
     * loop, but a loop that waits for another one is a knot waiting to be tied.
     */
    private <T> T onLoop(Supplier<T> action) {
        if (loop.inLoop()) {
            return action.get();
        }
        CompletableFuture<T> done = CompletableFuture.supplyAsync(action, loop);
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return done.get(TAKES_EFFECT.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException waitOn) {
                    wasInterrupted = true;
                } catch (TimeoutException tooLong) {
                    throw new IllegalStateException("the lifecycle's loop did not come to it in "
                            + TAKES_EFFECT.toSeconds() + " s; the machine is very busy, or the thread was stopped");
                } catch (ExecutionException failed) {
                    throw failed.getCause() instanceof RuntimeException cause ? cause : new CompletionException(failed);
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The VM exits, whoever has asked for that: what the shutdown has not done yet is done now. */
    private void onExit() {
        try {
            ShutdownRun run = onLoop(conductor::exitBegun);
            // The loop cuts it at its deadline; without the loop nobody would, and the exit does not wait for ever.
            while (!loop.isTerminated() && !run.awaitEnd(LOOK_AGAIN.toNanos())) {
                String stuck = run.passOverExit();
                if (stuck != null) {
                    LifecycleLog.hookCalledExit(stuck);
                }
            }
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
        try {
            return onLoop(() -> {
                boolean isIdle = conductor.close(whenOver);
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
            LifecycleLog.closedAtExit();
        }
        try {
            manager.close();
            loop.close();
            calls.close();
        } finally {
            hold.close();
        }
    }
}
