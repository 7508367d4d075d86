package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.lifecycle.Steps.Phase;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.Signals;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What signals mean for a program: one shutdown in good order with the right exit code, Ctrl+C twice, a new configuration
 * by HUP.
 *
 * <pre>{@code
 * Lifecycle lifecycle = Lifecycle.builder().build();
 * lifecycle.onShutdown("database", database::close);
 * lifecycle.onDrain("requests", server::awaitIdle);
 * lifecycle.onStopAccepting("listener", server::stopAccepting);
 * lifecycle.handle(Signal.SIGUSR1, info -> dumpState());
 * lifecycle.start();
 * }</pre>
 *
 * <p>TERM runs the shutdown: what stops accepting, what drains, and the hooks, last first. Then the process ends with
 * {@code System.exit(143)}, so that hooks of other libraries run, too. INT does the same with 130, and a second one ends the
 * process at once, even where a hook hangs. HUP asks the validators whether a new configuration is good, and then does the
 * same with 129, for a supervisor to start the program again. All steps of a shutdown share one deadline; what is not done by
 * then is skipped and named in the log. A {@code System.exit} of the program, or its end, runs the shutdown as well.
 *
 * <p>A lifecycle takes TERM and INT, HUP if there is a validator or a handler, and every other signal that has a handler.
 * It decides on a loop of its own, where no code of the program runs.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> a program that goes on without it closes it.
 *
 * <p><b>See:</b> docs/lifecycle.md.
 */
// r[impl life.real]
public final class Lifecycle implements SignalDispatcher, AutoCloseable {
    private static final AtomicReference<@Nullable Lifecycle> ACTIVE = new AtomicReference<>();

    private final LifecycleSettings settings;
    private final Reports reports;
    private final Handlers handlers;
    private final Validators validators = new Validators();
    private final Steps steps = new Steps();
    private final DoubleTap taps;
    private final Unsupported unsupported;
    private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
    private volatile @Nullable RunningLifecycle running;
    private boolean wasStarted;
    private volatile boolean isClosed;

    /** What is told to those who need a running one while there is none. */
    private volatile String absence = "was not started";

    Lifecycle(LifecycleSettings settings) {
        this.settings = settings;
        taps = new DoubleTap(settings.window(), Lifecycle::parentPid);
        reports = new Reports(settings);
        handlers = new Handlers(reports.log());
        unsupported = new Unsupported(settings.platform(), reports);
    }

    private static long parentPid() {
        return ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(-1L);
    }

    /** What it is to be like. */
    public static LifecycleBuilder builder() {
        return new LifecycleBuilder();
    }

    /** The one that was started and not closed; null if there is none. */
    public static @Nullable Lifecycle active() {
        return ACTIVE.get();
    }

    /**
     * Takes its signals, and the end of the VM. A start that fails changes nothing, and may be tried again.
     *
     * @return this lifecycle
     * @throws IllegalStateException if another one is active, if this one was started before, or if a signal belongs to an
     *     explicit {@link dev.carillon.signal.SignalService}
     */
    public synchronized Lifecycle start() {
        if (wasStarted) {
            throw new IllegalStateException("this lifecycle was started before; build another one");
        }
        if (!ACTIVE.compareAndSet(null, this)) {
            throw new IllegalStateException("another lifecycle is active, and a process can shut down only once; add to"
                    + " Lifecycle.active(), or close it first");
        }
        absence = "is being started: call it when start() has returned";
        try {
            running = RunningLifecycle.start(
                    settings, handlers, validators, steps, taps, reports, () -> begun.complete(null));
            wasStarted = true;
        } finally {
            if (!wasStarted) {
                absence = "could not be started";
                ACTIVE.set(null);
            }
        }
        return this;
    }

    /**
     * Calls a handler whenever a signal comes. Handlers of one signal are called one after the other, in the order in which
     * they were registered; what one of them throws is logged. For TERM, INT and HUP they are called first of all, and take no
     * part in the decision what happens then.
     *
     * <p>QUIT and ALRM end the process after their handlers have returned, at once, with 131 and 142. Where the platform cannot
     * deliver the signal, a record in the log says so, and the handler is called only for those that come by another way, such as
     * the admin endpoint.
     *
     * <p>One that comes in a shutdown hears what comes until the process has left.
     *
     * @return takes the handler back
     * @throws IllegalArgumentException if no program can handle it, as KILL
     * @throws IllegalStateException if this lifecycle was closed, or if the signal belongs to an explicit {@link dev.carillon.signal.SignalService}
     */
    public Registration handle(Signal signal, SignalHandler handler) {
        Objects.requireNonNull(handler, "handler");
        if (!Signals.canBeAttached(signal)) {
            throw new IllegalArgumentException(
                    "signal=" + signal + " cannot be handled by a program; SIGTERM, SIGINT, SIGHUP,"
                            + " SIGUSR1, SIGUSR2, SIGQUIT and others can");
        }
        ensureNotClosed("handle()");
        return effective(signal, handlers.add(signal, handler));
    }

    /** Adds a step that stops accepting work; such steps come first in a shutdown, in the order of registration. */
    public Registration onStopAccepting(String name, ShutdownHook hook) {
        return step(Phase.STOP_ACCEPTING, name, hook);
    }

    /** Adds a step that waits for the work that is under way; such steps come second, in the order of registration. */
    public Registration onDrain(String name, ShutdownHook hook) {
        return step(Phase.DRAIN, name, hook);
    }

    /**
     * Adds a step that cleans up; such steps come last, the newest first.
     *
     * @throws IllegalStateException if the shutdown has begun, or this lifecycle was closed; as with the other steps
     */
    public Registration onShutdown(String name, ShutdownHook hook) {
        return step(Phase.CLEANUP, name, hook);
    }

    private Registration step(Phase phase, String name, ShutdownHook hook) {
        ensureNotClosed("the shutdown hook '" + name + "'");
        return steps.add(phase, name, hook);
    }

    /** What would never be called is not taken. */
    private void ensureNotClosed(String what) {
        if (isClosed) {
            throw new IllegalStateException(what + " came too late: this lifecycle was closed");
        }
    }

    /**
     * Drains and ends an executor, as {@link #onDrain}: it takes no more tasks, and those that it has may use the time that is
     * left. Then they are interrupted, and the log names the executor.
     */
    // r[impl life.cancellation]
    public Registration onDrain(String name, ExecutorService executor) {
        Objects.requireNonNull(executor, "executor");
        return onDrain(name, () -> {
            executor.shutdown();
            try {
                // Until it is cut: a wait with a deadline of its own would return as if all were done.
                executor.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            } catch (InterruptedException cut) {
                // The log names it.
                Thread.currentThread().interrupt();
            } finally {
                executor.shutdownNow();
            }
        });
    }

    /**
     * Adds a look at a new configuration. From now on HUP is taken, and ends the process if all of these agree. One that comes in a
     * shutdown is not asked any more.
     *
     * @throws IllegalStateException if this lifecycle was closed
     */
    public Registration onReload(String name, ReloadValidator validator) {
        ensureNotClosed("onReload()");
        return effective(Signal.SIGHUP, validators.add(name, validator));
    }

    /** Takes a signal for what was registered just now; if that is not possible, nothing was registered. */
    private Registration effective(Signal signal, Registration added) {
        if (!settings.delivers(signal)) {
            unsupported.registered(signal);
            return added;
        }
        RunningLifecycle now = running;
        if (now == null) {
            return added;
        }
        try {
            now.sync(signal);
        } catch (RuntimeException | Error refused) {
            added.close();
            throw refused;
        }
        return () -> {
            added.close();
            now.sync(signal);
        };
    }

    /**
     * Sends a signal the whole way, but not by the operating system, and without the end of the process: for tests. Nothing
     * happens where the platform could not deliver it.
     *
     * @return completed when everything that it begins is over and told; what depends on it runs on a thread of its own
     * @throws IllegalStateException unless the lifecycle is active
     */
    // r[impl life.inject]
    public CompletableFuture<SignalOutcome> injectForTest(Signal signal) {
        return started("injectForTest()").inject(SignalInfo.of(signal));
    }

    /** False before the start and after a close: nothing happens then, whatever is registered. */
    @Override
    public boolean handles(Signal signal) {
        return running != null && RunningLifecycle.wants(signal, handlers, validators);
    }

    @Override
    public Platform platform() {
        return settings.platform();
    }

    @Override
    public void dispatch(Signal signal, String origin) {
        RunningLifecycle now = started("dispatch()");
        if (!handles(signal)) {
            throw new IllegalStateException(signal + " is handled by nobody; register a handler (Lifecycle.handle)");
        }
        now.dispatch(SignalInfo.of(signal), origin);
    }

    private RunningLifecycle started(String operation) {
        RunningLifecycle now = running;
        if (now == null) {
            throw absent(operation, absence);
        }
        return now;
    }

    /** What is told to those who need an active lifecycle, and this one is not: it has not begun, or it was closed. */
    static IllegalStateException absent(String operation, String why) {
        return new IllegalStateException(operation + " needs an active lifecycle, and this one " + why);
    }

    /**
     * Ends the process in good order: runs the shutdown, then exits. Returns when the shutdown has begun, and does not wait for
     * its end. If a shutdown runs already, that one decides.
     *
     * @param code the exit code, 0 to 255; of another one the lowest eight bits are taken, as by the kernel: -1 is 255
     * @throws IllegalStateException unless the lifecycle is active; where it is closed at the same time, the process leaves, or
     *     this is thrown
     */
    public void exit(int code) {
        started("exit()").exit(code & 0xFF);
    }

    /**
     * Says that the program serves now: systemd starts what comes after a service of {@code Type=notify} then. Nothing happens
     * where no service manager asks to be told, and at a second call.
     *
     * @throws IllegalStateException unless the lifecycle is active
     */
    public void ready() {
        started("ready()").ready();
    }

    /**
     * Gives the service manager a sentence for people, which {@code systemctl status} shows; nothing where there is none. What
     * would make the message longer than 4,096 bytes, which systemd drops, is cut, with an ellipsis in its place.
     *
     * @throws IllegalStateException unless the lifecycle is active
     */
    public void status(String text) {
        started("status()").status(text);
    }

    /**
     * Ties the watchdog of the service manager to an event loop: while the loop runs no tasks, the manager does not hear that
     * the process is alive, and ends it after {@code WatchdogSec}. Several loops may be watched; one that is closed is not any more.
     *
     * @throws IllegalStateException unless the lifecycle is active
     */
    public void watch(EventLoop loop) {
        started("watch()").watch(loop);
    }

    /**
     * Signals of this lifecycle that do not come to it any more, since other code has installed a handler over ours, see
     * {@link dev.carillon.signal.SignalService#displaced}.
     *
     * @throws IllegalStateException unless the lifecycle is active
     */
    public SignalSet displaced() {
        return started("displaced()").displaced();
    }

    /** Whether a shutdown has begun. */
    public boolean isShuttingDown() {
        RunningLifecycle now = running;
        return now != null && now.conductor().isShuttingDown();
    }

    /**
     * Completed when a shutdown begins, whatever the handlers of its signal do: for work that is to be cancelled then. What
     * depends on it runs on a thread of its own, beside those handlers; the steps begin when it has returned, or are skipped
     * where it does not return in the time of the shutdown.
     *
     * @return a new one at each call, which the caller may complete or cancel
     */
    // r[impl life.cancellation]
    public CompletableFuture<@Nullable Void> shutdownBegun() {
        return begun.copy();
    }

    /** How much time the shutdown has left; zero if none runs. */
    public Duration timeLeft() {
        RunningLifecycle now = running;
        return now == null ? Duration.ZERO : now.conductor().timeLeft();
    }

    /** How long a second Ctrl+C would still end the process at once; zero if none came. */
    public Duration doubleTapLeft() {
        return taps.left(System.nanoTime());
    }

    /**
     * Gives the signals back to the process. A shutdown that runs goes on, and exits: until then the lifecycle keeps its
     * signals and its second Ctrl+C, so it may be closed by a hook, or beside the hooks. It never waits for the shutdown. The
     * same holds while handlers of QUIT or ALRM run, after which the process ends.
     *
     * <p>A validator that runs goes on, and what it says does not count any more. Handlers that run go on, and those that wait
     * are dropped. It waits shortly until the log has what was told.
     */
    // r[impl life.close]
    @Override
    public void close() {
        RunningLifecycle now = running;
        if (now != null) {
            now.close(this::closed);
        }
    }

    private void closed() {
        absence = "was closed";
        isClosed = true;
        // In this order: who finds it closed finds its place free.
        ACTIVE.compareAndSet(this, null);
        running = null;
    }
}
