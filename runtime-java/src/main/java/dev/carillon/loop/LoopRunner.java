package dev.carillon.loop;

import dev.carillon.loop.queue.ParkState;
import dev.carillon.loop.queue.ShortMemory;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.StackRoom;
import java.util.Objects;

/**
 * What the run methods do: run what is ready in batches, and poll in between.
 *
 * <p><b>Threading:</b> {@link #requestStop}, {@link #endNow} and the questions: any thread; the rest: the loop's.
 */
final class LoopRunner {
    private static final int MAX_TRIES = 2_000;

    private final PollingLoop loop;
    private final LoopWork work;
    private final LoopTimers timers;
    private final IoBackend io;
    private final ParkState park;
    private final LoopEnding ending;
    private final long slowNanos;

    /** One way: asked to stop; other threads are refused. */
    private volatile boolean stopping;

    /** One way: nothing is drained any more. */
    private volatile boolean endNow;

    // Statistics, written here and read by anybody.
    private long iterations;
    private long parks;

    LoopRunner(PollingLoop loop, LoopWork work, IoBackend io, ParkState park, LoopEnding ending) {
        this.loop = loop;
        this.work = work;
        this.timers = loop.timers();
        this.io = io;
        this.park = park;
        this.ending = ending;
        slowNanos = Math.max(1, Deadlines.after(0, loop.options().slowIteration()));
    }

    /** A thread that has only just been started may find no memory for what its loop needs of it. */
    void runAsSoonAsMemoryIsThere() {
        for (int tries = 1; ; tries++) {
            try {
                run(RunMode.STOPPED);
                return;
            } catch (OutOfMemoryError memoryIsShort) {
                if (loop.isTerminated() || tries == MAX_TRIES) {
                    throw memoryIsShort;
                }
                awaitMemory(memoryIsShort);
            }
        }
    }

    /**
     * Memory was short for the loop's own. Nothing that was taken in is lost by that: it is tried again. The VM may need
     * memory for each line that was never run before, so this may fail as well, and then only costs time.
     */
    private void awaitMemory(OutOfMemoryError memoryIsShort) {
        try {
            loop.report(memoryIsShort);
            ShortMemory.pause();
        } catch (OutOfMemoryError stillShort) {
            Thread.onSpinWait();
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
            // Nobody else will run this loop: whoever waits for one of its operations has to be told.
            ending.abandon(fatal);
            throw fatal;
        } finally {
            leave();
        }
    }

    private boolean isFinished(RunMode mode) {
        return stopping && (mode == RunMode.STOPPED || endNow || isDrained());
    }

    private boolean isDrained() {
        return !work.isReady() && work.foreign.isEmpty() && !timers.willCome() && io.pending() == 0;
    }

    /** Runs so many callbacks at most; blocks at most once, if nothing is ready. */
    int runSome(int limit) {
        begin();
        try {
            pollOrReport(false);
            int ran = runBatch(limit);
            if (ran == 0) {
                pollOrReport(!stopping || !isDrained());
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
        loop.binding().enter();
        try {
            loop.watchdog().begin();
        } catch (OutOfMemoryError noThread) {
            loop.binding().exit();
            throw noThread;
        }
    }

    private void leave() {
        loop.watchdog().idle(true);
        loop.binding().exit();
    }

    private boolean isAnythingReady() {
        return work.isReady() || io.hasDeferred() || !work.foreign.isEmpty() || timers.earliest() <= loop.nanoTime();
    }

    private int runBatch(int limit) {
        int ran = 0;
        try {
            ran = work.run(limit);
            if (work.lastRunNanos() >= slowNanos) {
                LoopEvents.slowIteration(loop, work.lastRunNanos(), ran);
            }
        } catch (OutOfMemoryError memoryIsShort) {
            awaitMemory(memoryIsShort);
        }
        return ran;
    }

    // r[impl loop.errors]
    private void pollOrReport(boolean mayBlock) {
        try {
            poll(mayBlock);
        } catch (OutOfMemoryError memoryIsShort) {
            awaitMemory(memoryIsShort);
        }
    }

    // r[impl loop.flush-before-block] r[impl timer.precision]
    private void poll(boolean mayBlock) {
        iterations++;
        // The queue is asked here already: an announcement takes a cache line from the threads that are posting.
        if (!mayBlock || work.isReady() || io.hasDeferred() || !work.foreign.isEmpty()) {
            io.poll(0);
            return;
        }
        long earliest = timers.beforePark();
        work.local.giveBack();
        loop.watchdog().idle(true);
        park.announce();
        try {
            if (work.foreign.isEmpty() && !endNow && park.commit()) {
                parks++;
                io.poll(earliest == TimerHeap.NEVER ? IoBackend.FOR_EVER : Deadlines.until(earliest, loop.nanoTime()));
                park.resume();
                LoopEvents.wakeup(loop);
            } else {
                park.resume();
                io.poll(0);
            }
        } finally {
            park.resume();
            loop.watchdog().idle(false);
        }
    }

    // r[impl loop.stop]
    void requestStop() {
        StackRoom.ensure();
        stopping = true;
        loop.mailbox().stop();
        loop.command(LoopCommand.NOTHING);
    }

    /** Also where it is being drained, and so that it does not block again. */
    void endNow() {
        endNow = true;
        requestStop();
    }

    boolean isStopping() {
        return stopping;
    }

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
