package dev.carillon.loop;

import dev.carillon.loop.queue.ParkState;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LibC;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The loop, put together: docs/loop.md says what each part does. */
// r[impl loop.single-thread]
final class PollingLoop extends EventLoop {
    private final EventLoopOptions options;
    private final boolean shared;
    private final LongSupplier clock;
    private final LoopBinding binding = new LoopBinding(this);
    private final LoopTimers timers = new LoopTimers(this);
    private final LoopServices services = new LoopServices(this);
    private final LoopWork work;
    private final LoopMailbox mailbox;
    private final LoopEnding ending = new LoopEnding(this);
    private final LoopRunner runner;
    private final Watchdog watchdog;
    private final IoBackend io;

    private PollingLoop(EventLoopOptions options, boolean shared) {
        // First: at the limit of descriptors a class that is initialized, as by the rehearsal, may fail for good.
        LibC.availability().ensureAvailability();
        LoopRehearsal.ensureDone();
        this.options = options;
        this.shared = shared;
        clock = options.clock();
        work = new LoopWork(this, timers, options);
        watchdog = new Watchdog(this, options.blockedAfter());
        ParkState park = new ParkState();
        mailbox = new LoopMailbox(this, work.foreign, park, options.backlog());
        io = IoBackend.open(options.backend().resolved(), this, Sys.get());
        runner = new LoopRunner(this, work, io, park, ending);
    }

    static PollingLoop openOwn(EventLoopOptions options) {
        return new PollingLoop(options, false);
    }

    static PollingLoop openShared(EventLoopOptions options) {
        return new PollingLoop(options, true);
    }

    /** Every loop is one: nobody else can extend EventLoop. */
    static PollingLoop of(EventLoop loop) {
        return (PollingLoop) Objects.requireNonNull(loop, "loop");
    }

    /** The loop, for one who is about to open something that is to live on it; throws where that came too late. */
    // r[impl io.closed-loop]
    static PollingLoop accepting(EventLoop loop) {
        // Whoever asks opens a descriptor next, and closes it if what follows fails.
        StackRoom.ensureAround();
        PollingLoop on = of(loop);
        if (on.binding.isMine() ? on.isEnding() : on.isStopping()) {
            throw on.refused();
        }
        return on;
    }

    @Override
    public EventLoop start() {
        Thread thread = new Thread(this::runOnOwnThread, options.name());
        thread.setDaemon(options.daemon());
        binding.bind(thread);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            binding.unbind();
            throw noThread;
        }
        return this;
    }

    // r[impl signal.mask]
    private void runOnOwnThread() {
        try {
            if (!options.mask().isEmpty()) {
                Sys.get().signals().block(options.mask().toBits());
            }
            runner.runAsSoonAsMemoryIsThere();
        } finally {
            // Nobody else will run it: where it could not even begin, whoever posted to it is told.
            ending.giveUp();
        }
    }

    @Override
    public long run(RunMode mode) {
        return runner.run(mode);
    }

    @Override
    public int runOne() {
        return runner.runSome(1);
    }

    @Override
    public int runSome() {
        return runner.runSome(Integer.MAX_VALUE);
    }

    @Override
    public int runUntilEmpty() {
        return runner.runUntilEmpty();
    }

    // r[impl loop.local-post]
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (binding.runsHere()) {
            ensureAcceptsLocal();
            work.local.add(task);
        } else {
            StackRoom.ensure();
            executeFromOutside(task);
        }
    }

    private void executeFromOutside(Runnable task) {
        if (binding.borrow()) {
            try {
                execute(task);
            } finally {
                binding.giveBack();
            }
        } else if (!mailbox.post(task)) {
            throw refused();
        }
    }

    /**
     * Runs or posts something that must be done as long as the loop lives; false when it has ended. The caller has looked
     * for room on the stack, before it decided that this is done.
     */
    boolean command(LoopCommand command) {
        if (binding.runsHere() && !binding.isEnded()) {
            command.onLoop();
            return true;
        }
        return mailbox.postAlways(command);
    }

    @Override
    public boolean inLoop() {
        return binding.isMine();
    }

    /** Whether the caller runs the loop at this moment, and may touch what is the loop thread's. */
    boolean runsHere() {
        return binding.runsHere();
    }

    @Override
    public boolean hasThread() {
        return binding.thread() != null;
    }

    void ensureInLoop(String what) {
        if (!binding.runsHere()) {
            throw new IllegalStateException(what + " belongs on the thread of " + this + ", this is "
                    + Thread.currentThread().getName() + "; post it with execute()");
        }
    }

    void ensureAcceptsLocal() {
        if (ending.hasBegun()) {
            throw refused();
        }
    }

    RejectedExecutionException refused() {
        if (!isStopping() && !isEnding()) {
            return new RejectedExecutionException(this + " has " + work.foreign.backlog() + " tasks and operations that"
                    + " wait, and backlog=" + options.backlog() + "; post again when some are done, or post less");
        }
        return new RejectedExecutionException(this + (binding.isEnded() ? " has ended" : " is stopping")
                + " and takes no new work"
                + (binding.isEndedByExit()
                        ? ", since the VM exits; hold the exit before it begins (EventLoop.holdExit), or open a loop in"
                                + " the shutdown hook that needs one"
                        : "; end first whoever posts to it"));
    }

    @Override
    public TimerHandle schedule(Duration delay, Runnable task) {
        return scheduleAt(Deadlines.after(nanoTime(), delay), task);
    }

    @Override
    public TimerHandle scheduleAt(long deadlineNanos, Runnable task) {
        ScheduledTask timer = new ScheduledTask(this, Objects.requireNonNull(task, "task"));
        timers.start(timer, deadlineNanos);
        return timer;
    }

    @Override
    public long nanoTime() {
        return clock.getAsLong();
    }

    @Override
    public void register(LoopService service) {
        services.add(service);
    }

    @Override
    public boolean unregister(LoopService service) {
        return services.remove(service);
    }

    @Override
    public Watch watch(int fd, Runnable onReadable) {
        return WatchHandle.open(this, fd, onReadable, null);
    }

    @Override
    public Watch watch(int fd, Runnable onReadable, Consumer<Throwable> onFailure) {
        return WatchHandle.open(this, fd, onReadable, Objects.requireNonNull(onFailure, "onFailure"));
    }

    @Override
    public void requestStop() {
        ensureNotShared();
        runner.requestStop();
    }

    @Override
    public void close() {
        ensureNotShared();
        discard();
    }

    /** Closes it whatever it is. */
    void discard() {
        runner.endNow();
        ending.close();
    }

    /** Whether it has ended by an error, or is about to. */
    boolean hasFailed() {
        return ending.hasFailed();
    }

    private void ensureNotShared() {
        if (shared) {
            throw new UnsupportedOperationException(
                    "the shared loop belongs to the whole process and cannot be stopped; open() one of your own");
        }
    }

    @Override
    public boolean awaitTermination(Duration atMost) throws InterruptedException {
        binding.ensureMayWait("awaitTermination()");
        long now = System.nanoTime();
        return binding.ended().await(Math.max(0, Deadlines.after(now, atMost) - now), TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean isTerminated() {
        return binding.isEnded();
    }

    @Override
    public boolean isStopping() {
        return runner.isStopping();
    }

    @Override
    public BackendKind backend() {
        return io.kind();
    }

    @Override
    public String name() {
        return options.name();
    }

    @Override
    public LoopStats stats() {
        return new LoopStats(
                runner.iterations(),
                runner.parks(),
                mailbox.wakeupsWritten(),
                mailbox.wakeupsElided(),
                work.tasks(),
                work.fired(),
                timers.size(),
                io.pending(),
                io.completed(),
                work.failures(),
                Duration.ofNanos(work.longest()));
    }

    /** Gives an error to the handler, and what the handler throws to the log; never throws. */
    // r[impl loop.errors] r[impl loop.report]
    void report(Throwable thrown) {
        try {
            options.errorHandler().onError(this, thrown);
        } catch (Throwable fromHandler) {
            LoopLog.report("The error handler of {} has failed", this, fromHandler, thrown);
        }
    }

    EventLoopOptions options() {
        return options;
    }

    LoopBinding binding() {
        return binding;
    }

    LoopTimers timers() {
        return timers;
    }

    LoopWork work() {
        return work;
    }

    LoopMailbox mailbox() {
        return mailbox;
    }

    LoopServices services() {
        return services;
    }

    IoBackend io() {
        return io;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    LoopRunner runner() {
        return runner;
    }

    LoopEnding ending() {
        return ending;
    }

    boolean isEnding() {
        return ending.hasBegun();
    }

    @Nullable
    Thread thread() {
        return binding.thread();
    }

    @Override
    public String toString() {
        return "EventLoop[" + options.name() + ", " + binding + "]";
    }
}
