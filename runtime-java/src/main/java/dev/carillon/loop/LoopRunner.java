package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.queue.ParkState;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.StackRoom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The run methods: they run what is ready in batches, and poll in between.
 *
 * <p><b>Threading:</b> the statistics: any thread; the rest: the loop's.
 */
final class LoopRunner {
    private static final int MAX_TRIES = 2_000;
    private static final long LOOK_DURING_EXIT_NANOS = Duration.ofMillis(5).toNanos();

    private final LoopThread thread;
    private final LoopState state;
    private final LoopWork work;
    private final LoopTimers timers;
    private final Poller poller;
    private final ParkState park;
    private final LoopEnding ending;
    private final Watchdog watchdog;
    private final LongSupplier clock;
    private final ErrorSink errors;
    private final long slowNanos;

    /** Set once, when the VM exits: a thread that blocks in native code would hold it up. */
    private volatile boolean neverBlocks;

    // Statistics: the loop writes them, any thread reads them.
    private long iterations;
    private long parks;

    LoopRunner(
            LoopThread thread,
            LoopState state,
            LoopWork work,
            LoopTimers timers,
            Poller poller,
            ParkState park,
            LoopEnding ending,
            Watchdog watchdog,
            LongSupplier clock,
            ErrorSink errors,
            Duration slowIteration) {
        this.thread = thread;
        this.state = state;
        this.work = work;
        this.timers = timers;
        this.poller = poller;
        this.park = park;
        this.ending = ending;
        this.watchdog = watchdog;
        this.clock = clock;
        this.errors = errors;
        slowNanos = Math.max(1, Deadlines.after(0, slowIteration));
    }

    /** A thread that has only just started may find no memory for its first steps; this tries them again. */
    void runAsSoonAsMemoryIsThere() {
        for (int tries = 1; ; tries++) {
            try {
                run(RunMode.STOPPED);
                return;
            } catch (OutOfMemoryError memoryIsShort) {
                if (thread.isEnded() || tries == MAX_TRIES) {
                    throw memoryIsShort;
                }
                ending.awaitMemory(memoryIsShort);
            }
        }
    }

    // r[impl loop.run-modes]
    long run(RunMode mode) {
        Objects.requireNonNull(mode, "mode");
        begin();
        try {
            long ran = 0;
            while (true) {
                ran += runBatch(Integer.MAX_VALUE);
                if (isFinished(mode)) {
                    ending.end();
                    return ran;
                }
                pollOrReport(true);
            }
        } catch (RuntimeException | Error fatal) {
            // No other thread will run this loop, so this fails the operations that wait.
            ending.abandon(fatal);
            throw fatal;
        } finally {
            leave();
        }
    }

    private boolean isFinished(RunMode mode) {
        return state.isStopping() && (mode == RunMode.STOPPED || state.isHurrying() || isDrained());
    }

    private boolean isDrained() {
        return !work.isReady() && !timers.willCome() && poller.pending() == 0;
    }

    /** Runs so many callbacks at most; blocks at most once, if nothing is ready. */
    int runSome(int limit) {
        begin();
        try {
            pollOrReport(false);
            int ran = runBatch(limit);
            if (ran == 0) {
                pollOrReport(!state.isStopping() || !isDrained());
                ran = runBatch(limit);
            }
            return ran;
        } catch (VirtualMachineError fatal) {
            ending.abandon(fatal);
            throw fatal;
        } finally {
            leave();
        }
    }

    /** Runs until nothing is ready; never blocks. */
    int runUntilEmpty() {
        begin();
        try {
            int total = 0;
            int ran;
            do {
                pollOrReport(false);
                ran = runBatch(Integer.MAX_VALUE);
                total += ran;
            } while (ran > 0 || isAnythingReady());
            return total;
        } catch (VirtualMachineError fatal) {
            ending.abandon(fatal);
            throw fatal;
        } finally {
            leave();
        }
    }

    private void begin() {
        StackRoom.ensure();
        thread.enter();
        try {
            watchdog.begin();
        } catch (OutOfMemoryError noThread) {
            thread.exit();
            throw noThread;
        }
    }

    private void leave() {
        watchdog.idle(true);
        thread.exit();
    }

    private boolean isAnythingReady() {
        return work.isReady() || poller.hasDeferred() || timers.earliest() <= clock.getAsLong();
    }

    private int runBatch(int limit) {
        int ran = 0;
        try {
            ran = work.run(limit);
            if (work.lastRunNanos() >= slowNanos) {
                LoopEvents.slowIteration(thread, errors, work.lastRunNanos(), ran);
            }
        } catch (OutOfMemoryError memoryIsShort) {
            ending.awaitMemory(memoryIsShort);
        }
        return ran;
    }

    // r[impl loop.errors]
    private void pollOrReport(boolean mayBlock) {
        try {
            poll(mayBlock);
        } catch (OutOfMemoryError memoryIsShort) {
            ending.awaitMemory(memoryIsShort);
        }
    }

    // r[impl loop.flush-before-block] r[impl timer.precision]
    private void poll(boolean mayBlock) {
        iterations++;
        // Looks at the queue before the announcement, which takes a cache line from the threads that are posting.
        if (!mayBlock || work.isReady() || poller.hasDeferred()) {
            poller.poll(0);
            return;
        }
        if (neverBlocks) {
            poller.poll(0);
            if (!work.isReady()) {
                LockSupport.parkNanos(this, LOOK_DURING_EXIT_NANOS);
            }
            return;
        }
        long earliest = timers.beforePark();
        work.giveBack();
        watchdog.idle(true);
        park.announce();
        try {
            if (!work.isReady() && !state.isHurrying() && !neverBlocks && park.commit()) {
                parks++;
                poller.poll(
                        earliest == TimerHeap.NEVER ? Poller.FOR_EVER : Deadlines.until(earliest, clock.getAsLong()));
                park.resume();
                LoopEvents.wakeup(thread, errors);
            } else {
                park.resume();
                poller.poll(0);
            }
        } finally {
            park.resume();
            watchdog.idle(false);
        }
    }

    /** From now on the loop looks every few milliseconds for what came; the caller wakes it. Any thread. */
    // r[impl loop.through-exit]
    void blockNoMore() {
        neverBlocks = true;
    }

    /** Any thread. */
    boolean isBlockedInPoll() {
        return park.isBlocking();
    }

    long iterations() {
        return iterations;
    }

    long parks() {
        return parks;
    }
}
