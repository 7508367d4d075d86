package dev.carillon.loop;

import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopStage;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LibC;
import dev.carillon.sys.StackRoom;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread that runs tasks, timers and the completions of operations, and polls the kernel when there are none.
 *
 * <p>A loop belongs to the thread that {@link #start} makes, or to the one that first calls a {@code run} method:
 *
 * <pre>{@code
 * try (EventLoop loop = EventLoop.open().start()) {
 *     loop.execute(() -> System.out.println("on the loop"));
 *     loop.schedule(Duration.ofSeconds(1), loop::requestStop);
 *     loop.awaitTermination(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p><b>Threading:</b> any thread. The {@code run} methods belong to one platform thread; exceptions stand at the methods.
 * Callbacks run on the loop thread, one at a time, and must not block.
 *
 * <p><b>Ownership:</b> the opener of a loop closes it, after the handles that live on it.
 *
 * <p><b>Order:</b> what a thread did before it posted a task is visible to the task; tasks of one thread run in the order in
 * which they were posted.
 *
 * <p><b>See:</b> docs/loop.md, epoll(7).
 */
// r[impl loop.single-thread]
public final class EventLoop implements Executor, AutoCloseable {
    static {
        LoopAccess.openDoor(loop -> ((EventLoop) loop).parts.access);
    }

    private final EventLoopOptions options;
    private final boolean shared;
    final LoopParts parts;
    private final LoopThread thread;
    private final LoopState state;
    private final Inbox inbox;
    private final RingQueue<Object> local;

    private EventLoop(EventLoopOptions options, boolean shared) {
        // First: at the limit of descriptors, initializing a class, as the rehearsal does, may fail for good.
        LibC.availability().ensureAvailability();
        LoopRehearsal.ensureDone();
        this.options = options;
        this.shared = shared;
        parts = new LoopParts(this, options, this::report);
        thread = parts.thread;
        state = parts.state;
        inbox = parts.inbox;
        local = parts.local;
    }

    /** A loop that no thread runs yet. */
    public static EventLoop open() {
        return open(EventLoopOptions.defaults());
    }

    /**
     * A loop that no thread runs yet.
     *
     * @throws UnsupportedOperationException if the backend cannot be used here
     * @throws dev.carillon.SyscallException if the process has no descriptors left
     */
    public static EventLoop open(EventLoopOptions options) {
        return new EventLoop(options, false);
    }

    /**
     * The loop of the whole process. The first call makes and starts it, on a daemon thread; it cannot be closed. If an
     * error has ended it, this makes another one: ask for it each time, and do not keep it.
     *
     * @throws dev.carillon.SyscallException if there is no shared loop yet, and the process has no descriptors left
     */
    public static EventLoop shared() {
        return SharedLoop.get();
    }

    static EventLoop openShared(EventLoopOptions options) {
        return new EventLoop(options, true);
    }

    /**
     * The loop that runs on the calling thread.
     *
     * @throws IllegalStateException if none does
     */
    public static EventLoop current() {
        EventLoop loop = currentOrNull();
        if (loop == null) {
            throw new IllegalStateException("no event loop runs on thread "
                    + Thread.currentThread().getName() + "; call this from a task or callback of a loop");
        }
        return loop;
    }

    /** The loop that runs on the calling thread, or null. */
    public static @Nullable EventLoop currentOrNull() {
        return (EventLoop) LoopThread.current();
    }

    /**
     * Keeps loops running when the VM exits, until the hold is closed or its time is over.
     *
     * <p>The exit stops all loops that ran before it, since a thread that polls would hold it up. If a shutdown hook of
     * yours needs them, hold them before the exit begins: in a hook a hold may come too late. A loop that runs for the first
     * time in a shutdown hook needs no hold; only its owner stops it.
     */
    public static ExitHold holdExit(Duration atMost) {
        return LoopRegistry.hold(atMost);
    }

    /**
     * Runs the loop on a thread of its own until it is stopped; then it is closed.
     *
     * @return this loop
     * @throws IllegalStateException if a thread runs or ran it already
     */
    public EventLoop start() {
        parts.start();
        return this;
    }

    /**
     * Runs the loop on the calling thread until it is stopped; then it is closed.
     *
     * @return how many callbacks were run
     * @throws IllegalStateException if the loop belongs to another thread, is closed, or the thread is a virtual one
     */
    public long run(RunMode mode) {
        return parts.runner.run(mode);
    }

    /** Runs one callback; blocks at most once if none is ready. Returns how many were run: 0 or 1. */
    public int runOne() {
        return parts.runner.runSome(1);
    }

    /** Runs what is ready, a batch at most; blocks at most once if nothing is. Returns how many callbacks were run. */
    public int runSome() {
        return parts.runner.runSome(Integer.MAX_VALUE);
    }

    /** Runs until nothing is ready; never blocks. Returns how many callbacks were run. */
    public int runUntilEmpty() {
        return parts.runner.runUntilEmpty();
    }

    /**
     * Posts a task.
     *
     * @throws java.util.concurrent.RejectedExecutionException after {@link #requestStop}, on the loop thread only when the
     *     loop ends; and on other threads if the loop has a bound ({@link EventLoopOptions.Builder#backlog}) and so many
     *     tasks and operations wait
     */
    // r[impl loop.local-post]
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (thread.runsHere()) {
            state.ensureAcceptsLocal();
            local.add(task);
        } else {
            StackRoom.ensure();
            executeFromOutside(task);
        }
    }

    private void executeFromOutside(Runnable task) {
        if (thread.borrow()) {
            try {
                execute(task);
            } finally {
                thread.giveBack();
            }
        } else if (!inbox.post(task)) {
            throw inbox.refused();
        }
    }

    /** Whether the caller is the loop's thread. */
    public boolean inLoop() {
        return thread.isMine();
    }

    /** Whether the loop belongs to a thread already: {@link #start} or a run method was called. Any thread. */
    public boolean hasThread() {
        return thread.thread() != null;
    }

    /**
     * Calls back after some time; never early.
     *
     * @param delay a negative one is now; one that is too long for nanoseconds never comes
     * @throws java.util.concurrent.RejectedExecutionException as {@link #execute}
     */
    public TimerHandle schedule(Duration delay, Runnable task) {
        return scheduleAt(Deadlines.after(nanoTime(), delay), task);
    }

    /**
     * Calls back at a time on the loop's clock, {@link #nanoTime}.
     *
     * @param deadlineNanos one in the past is now; Long.MAX_VALUE never comes
     * @param task a {@link LoopTask} learns when the loop ends first
     */
    public TimerHandle scheduleAt(long deadlineNanos, Runnable task) {
        return parts.timers.schedule(Objects.requireNonNull(task, "task"), deadlineNanos);
    }

    /**
     * Calls back again and again, until the timer is cancelled; never early. What a callback throws goes to the error handler,
     * and the timer goes on. It allocates nothing per tick, and keeps a loop from being drained.
     *
     * @param first the first time, as {@link #schedule}
     * @param period from a microsecond to 292 years
     * @throws IllegalArgumentException if the period is another one
     * @throws java.util.concurrent.RejectedExecutionException as {@link #execute}
     */
    public RepeatingTimer scheduleRepeating(Duration first, Duration period, MissedTicks rule, TickTask task) {
        return TickingTimer.start(parts.timers, Deadlines.after(nanoTime(), first), period, rule, task);
    }

    /**
     * When the next timer is due, on {@link #nanoTime}; empty where none is set. For who runs the loop step by step, beside other work:
     * so long it needs no {@link #runUntilEmpty} for its timers.
     *
     * @throws IllegalStateException if the loop belongs to another thread, or to none yet
     */
    public OptionalLong nextTimer() {
        return parts.timers.next();
    }

    /**
     * A future that the caller completes on this loop. It refuses a wait on the loop thread, since that wait would never
     * end.
     */
    public <T extends @Nullable Object> CompletableFuture<T> newFuture() {
        return new LoopStage<>(parts.access);
    }

    /** The loop's clock: System.nanoTime(), which on Linux is CLOCK_MONOTONIC. */
    public long nanoTime() {
        return options.clock().getAsLong();
    }

    /**
     * Registers a service, which the loop closes before it ends; the last one first.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop ends or has ended
     */
    public void register(LoopService service) {
        parts.services.add(service);
    }

    /** Removes a service; returns whether it was registered. Any thread. */
    public boolean unregister(LoopService service) {
        return parts.services.remove(service);
    }

    /**
     * Calls back whenever a descriptor becomes readable, until the watch is closed. A watch is not an operation: it keeps no
     * loop from being drained.
     *
     * <p>The loop calls the callback once per change (edge-triggered). The callback has to read until nothing is left.
     *
     * <p><b>Threading:</b> any thread; what fails on the loop thread goes to the error handler.
     *
     * <p><b>Ownership:</b> the descriptor stays the caller's, who closes the watch first, on any thread. The loop watches a
     * copy, and closes the copy when it has seen the close.
     *
     * @param fd an open descriptor that does not block
     * @throws java.util.concurrent.RejectedExecutionException after {@link #requestStop}; on the loop thread only when the
     *     loop ends
     */
    public Watch watch(int fd, Runnable onReadable) {
        return parts.watch(fd, onReadable, null);
    }

    /**
     * As {@link #watch(int, Runnable)}, and calls back when the watching fails: no descriptor is left for the copy, epoll
     * has no room (ENOSPC, ENOMEM), or the loop ends before the watch was closed.
     *
     * @param onFailure called on the loop thread, once at most, instead of the error handler; the watch is closed then. At
     *     the end of the loop it gets a {@link dev.carillon.ClosedException}, after the services were closed
     */
    public Watch watch(int fd, Runnable onReadable, Consumer<Throwable> onFailure) {
        return parts.watch(fd, onReadable, Objects.requireNonNull(onFailure, "onFailure"));
    }

    /**
     * Asks the loop to stop. From now on it refuses other threads. What it accepted, it still completes or cancels.
     *
     * @throws UnsupportedOperationException on the shared loop
     */
    public void requestStop() {
        ensureNotShared();
        inbox.requestStop();
    }

    /**
     * Stops the loop and waits for its end; on a loop thread it does not wait. If no thread runs the loop, it ends here.
     *
     * @throws IllegalStateException if a callback does not return within 30 seconds
     * @throws UnsupportedOperationException on the shared loop
     */
    @Override
    public void close() {
        ensureNotShared();
        discard();
    }

    /** Closes the loop, also the shared one. */
    void discard() {
        inbox.endNow();
        parts.ending.close();
    }

    /** Whether an error has ended the loop, or is about to. */
    boolean hasFailed() {
        return state.hasFailed();
    }

    private void ensureNotShared() {
        if (shared) {
            throw new UnsupportedOperationException(
                    "the shared loop belongs to the whole process and cannot be stopped; open() one of your own");
        }
    }

    /**
     * Waits until the loop has ended.
     *
     * @return false if the time was over first
     * @throws IllegalStateException on a loop thread, or if no thread runs the loop: the wait would never end
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public boolean awaitTermination(Duration atMost) throws InterruptedException {
        thread.ensureMayWait("awaitTermination()");
        long now = System.nanoTime();
        return thread.ended().await(Math.max(0, Deadlines.after(now, atMost) - now), TimeUnit.NANOSECONDS);
    }

    /** Whether it has ended. */
    public boolean isTerminated() {
        return thread.isEnded();
    }

    /** Whether it was asked to stop. */
    public boolean isStopping() {
        return state.isStopping();
    }

    /** The backend in use; never AUTO. */
    public BackendKind backend() {
        return options.backend().resolved();
    }

    /** The name from its options. */
    public String name() {
        return options.name();
    }

    /** What the loop has done so far. */
    public LoopStats stats() {
        return parts.stats();
    }

    /** Gives an error to the handler, and to the log what the handler throws; never throws. */
    // r[impl loop.errors] r[impl loop.report]
    private void report(Throwable thrown) {
        try {
            options.errorHandler().onError(this, thrown);
        } catch (Throwable fromHandler) {
            LoopLog.report("The error handler of {} has failed", this, fromHandler, thrown);
        }
    }

    @Override
    public String toString() {
        return thread.toString();
    }
}
