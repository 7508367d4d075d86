package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.queue.Chain;
import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.loop.queue.ParkState;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The parts of a loop, put together. No part knows the loop or this: each gets what it uses. */
final class LoopParts {
    final LoopThread thread;
    final LoopState state;
    final RingQueue<Object> local = new RingQueue<>();
    final Inbox inbox;
    final LoopTimers timers;
    final LoopWork work;
    final LoopServices services;
    final Poller poller;
    final LoopEnding ending;
    final LoopRunner runner;
    final LoopAccess access = new Access();

    private final EventLoopOptions options;
    private final ErrorSink errors;

    /** Made with the loop: what links it needs memory, and a start that found none would find it broken for ever. */
    private final Runnable runOnOwnThread = this::runOnOwnThread;

    LoopParts(Executor loop, EventLoopOptions options, ErrorSink errors) {
        this.options = options;
        this.errors = errors;
        BackendKind backend = options.backend().resolved();
        ParkState park = new ParkState();
        MpscQueue<Object> remote = new MpscQueue<>();
        Chain<LoopCommand> completions = new Chain<>();
        thread = new LoopThread(options.name(), loop, new Exit());
        state = new LoopState(thread);
        // First, since other parts wake it. It uses none of them before the loop runs.
        poller = backend.open(new Polled(completions));
        boolean isComplete = false;
        try {
            inbox = new Inbox(remote, park, thread, state, options.backlog(), poller);
            timers = new LoopTimers(thread, state, inbox, options.clock(), errors);
            boolean isWatched = !options.blockedAfter().isZero();
            work = new LoopWork(
                    remote, local, completions, timers, options.clock(), errors, options.batch(), isWatched);
            services = new LoopServices(state, errors);
            Watchdog watchdog = new Watchdog(thread, work::progress, errors, options.blockedAfter());
            ending = new LoopEnding(thread, state, inbox, remote, work, timers, services, poller, watchdog, errors);
            runner = new LoopRunner(
                    thread,
                    state,
                    work,
                    timers,
                    poller,
                    park,
                    ending,
                    watchdog,
                    options.clock(),
                    errors,
                    options.slowIteration());
            isComplete = true;
        } finally {
            if (!isComplete) {
                poller.close();
            }
        }
    }

    /** Runs the loop on a thread of its own. */
    void start() {
        Thread fresh = new Thread(runOnOwnThread, options.name());
        fresh.setDaemon(options.daemon());
        thread.bind(fresh);
        try {
            fresh.start();
        } catch (OutOfMemoryError noThread) {
            thread.unbind();
            throw noThread;
        }
    }

    // r[impl signal.mask]
    private void runOnOwnThread() {
        try {
            if (!options.mask().isEmpty()) {
                Sys.get().signals().block(options.mask().toBits());
            }
            runner.runAsSoonAsMemoryIsThere();
        } finally {
            // No other thread will run the loop. If it could not even begin, this fails what was posted to it.
            ending.giveUp();
        }
    }

    Watch watch(int fd, Runnable onReadable, @Nullable Consumer<Throwable> onFailure) {
        return LoopWatch.open(new LoopWatch.Home(thread, state, inbox, local, poller), fd, onReadable, onFailure);
    }

    /** What the poller may ask. */
    private final class Polled implements PolledLoop {
        private final Chain<LoopCommand> completions;

        Polled(Chain<LoopCommand> completions) {
            this.completions = completions;
        }

        @Override
        public void completed(LoopCommand done) {
            completions.add(done);
        }

        @Override
        public void arm(TimerNode timer, long deadlineNanos) {
            timers.rearm(timer, deadlineNanos);
        }

        @Override
        public void disarm(TimerNode timer) {
            timers.cancel(timer);
        }

        @Override
        public long nanoTime() {
            return options.clock().getAsLong();
        }

        @Override
        public boolean isEnding() {
            return state.isEnding();
        }

        @Override
        public String name() {
            return options.name();
        }

        @Override
        public int events() {
            return options.events();
        }

        @Override
        public int scratch() {
            return options.scratch();
        }

        @Override
        public void report(Throwable thrown) {
            errors.report(thrown);
        }

        @Override
        public String toString() {
            return thread.toString();
        }
    }

    /** What handles and operations may ask. */
    private final class Access extends LoopAccess {
        @Override
        public boolean runsHere() {
            return thread.runsHere();
        }

        @Override
        public boolean borrow() {
            return thread.borrow();
        }

        @Override
        public void giveBack() {
            thread.giveBack();
        }

        @Override
        public boolean post(LoopCommand command) {
            return inbox.post(command);
        }

        @Override
        public boolean command(LoopCommand command) {
            return inbox.command(command);
        }

        @Override
        public boolean tryTake(LoopCommand completion) {
            return work.tryTake(completion);
        }

        @Override
        public RejectedExecutionException refused() {
            return inbox.refused();
        }

        @Override
        public boolean isEnding() {
            return state.isEnding();
        }

        @Override
        public void ensureAccepting() {
            StackRoom.ensureAround();
            state.ensureAccepting();
        }

        @Override
        public void ensureMayWait(String what) {
            thread.ensureMayWait(what);
        }

        @Override
        public long nanoTime() {
            return options.clock().getAsLong();
        }

        @Override
        public Poller poller() {
            return poller;
        }

        @Override
        public void addExitTask(Runnable task) {
            LoopRegistry.addTask(task);
        }

        @Override
        public void removeExitTask(Runnable task) {
            LoopRegistry.removeTask(task);
        }

        @Override
        public void report(Throwable thrown) {
            errors.report(thrown);
        }

        @Override
        public String toString() {
            return thread.toString();
        }
    }

    /** What the exit of the VM does. */
    private final class Exit implements LoopRegistry.AtExit {
        @Override
        public boolean goesOn() {
            return options.throughExit();
        }

        @Override
        public void blockNoMore() {
            runner.blockNoMore();
            poller.wake();
        }

        @Override
        public void endNow() {
            inbox.endNow();
        }

        @Override
        public boolean isBlockedInPoll() {
            return runner.isBlockedInPoll();
        }

        @Override
        public void tellServices() {
            if (!thread.isEnded()) {
                services.tellOfExit();
            }
        }
    }

    /** What the loop has done so far. Any thread. */
    LoopStats stats() {
        return new LoopStats(
                runner.iterations(),
                runner.parks(),
                inbox.wakeupsWritten(),
                inbox.wakeupsElided(),
                work.tasks(),
                work.fired(),
                timers.size(),
                poller.pending(),
                poller.completed(),
                work.failures(),
                Duration.ofNanos(work.longest()));
    }
}
