package dev.carillon.loop;

import dev.carillon.ClosedException;
import dev.carillon.loop.access.ErrorSink;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.loop.queue.ShortMemory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends a loop: closes its services, runs or cancels everything that was accepted, then closes the descriptors.
 *
 * <p><b>Threading:</b> {@link #close}: any thread; the rest: the loop thread, or the thread that has taken its place.
 */
final class LoopEnding {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long TAKE_OVER_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_AGAIN_NANOS = 20_000;
    private static final long LATE_POST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int STEPS = 6;

    private final LoopThread thread;
    private final LoopState state;
    private final Inbox inbox;
    private final MpscQueue<Object> remote;
    private final LoopWork work;
    private final LoopTimers timers;
    private final LoopServices services;
    private final Poller poller;
    private final Watchdog watchdog;
    private final ErrorSink errors;

    /** When threads that have claimed a place in the queue must have filled it. */
    private long lastLook;

    /** The first error of the VM that ends loops, of those thrown while this loop was ending. */
    private @Nullable VirtualMachineError fatal;

    LoopEnding(
            LoopThread thread,
            LoopState state,
            Inbox inbox,
            MpscQueue<Object> remote,
            LoopWork work,
            LoopTimers timers,
            LoopServices services,
            Poller poller,
            Watchdog watchdog,
            ErrorSink errors) {
        this.thread = thread;
        this.state = state;
        this.inbox = inbox;
        this.remote = remote;
        this.work = work;
        this.timers = timers;
        this.services = services;
        this.poller = poller;
        this.watchdog = watchdog;
        this.errors = errors;
    }

    /** Ends the loop in good order. Where memory is short, it tries each step again until the step is done. */
    // r[impl loop.no-leak]
    void end() {
        int steps = 0;
        while (steps < STEPS) {
            try {
                step(steps);
                steps++;
            } catch (OutOfMemoryError memoryIsShort) {
                awaitMemory(memoryIsShort);
            }
        }
        VirtualMachineError thrown = fatal;
        if (thrown != null) {
            throw thrown;
        }
    }

    /** One step; each may be done twice. */
    private void step(int number) {
        switch (number) {
            case 0 -> services.closeAll();
            case 1 -> {
                state.beginEnding();
                lastLook = System.nanoTime() + LATE_POST_NANOS;
                cancelAll();
            }
            case 2 -> runWhatWasAccepted();
            case 3 -> watchdog.end();
            case 4 -> closeDescriptors();
            default -> thread.end();
        }
    }

    /**
     * Ends the loop after an error that it cannot go on with. The end is the same, since each task was accepted.
     *
     * @param cause for the error handler; null if the caller reports it
     */
    // r[impl loop.errors]
    void abandon(@Nullable Throwable cause) {
        state.fail();
        Throwable untold = cause;
        while (!thread.isEnded()) {
            try {
                inbox.endNow();
                if (untold != null) {
                    Throwable told = untold;
                    untold = null;
                    errors.report(told);
                }
                end();
            } catch (OutOfMemoryError memoryIsShort) {
                awaitMemory(memoryIsShort);
            }
        }
    }

    /** Ends the loop if its own thread, which is about to end, never came to run it. */
    void giveUp() {
        if (!thread.isEnded() && thread.takeOver()) {
            try {
                // The thread dies of the error and reports it.
                abandon(null);
            } finally {
                thread.exit();
            }
        }
    }

    private void runWhatWasAccepted() {
        long claimed = remote.close();
        boolean complete;
        while (true) {
            drain();
            cancelAll();
            complete = remote.takenUpTo(claimed) && !work.hasOwn();
            if (complete || System.nanoTime() - lastLook > 0) {
                break;
            }
            // A thread has claimed a place in the queue and not filled it, and may need this processor.
            LockSupport.parkNanos(this, LOOK_AGAIN_NANOS);
        }
        if (!complete) {
            LoopLog.warn(thread + " ends although a thread that posts to it has not finished doing so");
        }
        LoopLog.reportWhatWasLeftOut();
    }

    private void cancelAll() {
        timers.cancelAll();
        poller.failAll(new ClosedException(thread + " was closed while operations waited"));
    }

    /** Runs all that was accepted, whatever one of the callbacks throws. */
    private void drain() {
        boolean isMore = true;
        while (isMore) {
            try {
                isMore = work.runNext();
            } catch (OutOfMemoryError memoryIsShort) {
                awaitMemory(memoryIsShort);
            } catch (VirtualMachineError thrown) {
                errors.report(thrown);
                fatal = fatal == null ? thrown : fatal;
            }
        }
    }

    private void closeDescriptors() {
        try {
            poller.close();
        } catch (RuntimeException failure) {
            errors.report(failure);
        }
    }

    /**
     * Memory was short for the loop itself. The caller tries again, so nothing that was accepted is lost. The VM may need
     * memory for each line that it never ran before, so this may fail as well, and then only costs time.
     */
    void awaitMemory(OutOfMemoryError memoryIsShort) {
        try {
            errors.report(memoryIsShort);
            ShortMemory.pause();
        } catch (OutOfMemoryError stillShort) {
            Thread.onSpinWait();
        }
    }

    /** Waits for the end, or ends the loop here if no thread runs it. */
    void close() {
        long deadline = System.nanoTime() + CLOSE_NANOS;
        boolean interrupted = false;
        while (!thread.isEnded()) {
            if (thread.takeOver()) {
                try {
                    endInTakeOver();
                } finally {
                    thread.exit();
                }
            } else if (LoopThread.current() != null) {
                break; // a loop thread does not wait for another loop, and its own ends when the callback returns
            } else {
                interrupted |= awaitEnd();
                if (System.nanoTime() - deadline > 0) {
                    throw stuck();
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void endInTakeOver() {
        try {
            end();
        } catch (RuntimeException | Error fatal) {
            abandon(fatal);
            throw fatal;
        }
    }

    private boolean awaitEnd() {
        try {
            thread.ended().await(TAKE_OVER_AGAIN_NANOS, TimeUnit.NANOSECONDS);
            return false;
        } catch (InterruptedException waitOn) {
            return true;
        }
    }

    private IllegalStateException stuck() {
        Thread bound = thread.thread();
        IllegalStateException failure = new IllegalStateException(thread + " did not end within "
                + TimeUnit.NANOSECONDS.toSeconds(CLOSE_NANOS)
                + " s, since a callback does not return; the cause shows where its thread stands");
        if (bound != null) {
            Throwable stack = new Throwable("thread " + bound.getName());
            stack.setStackTrace(bound.getStackTrace());
            failure.initCause(stack);
        }
        return failure;
    }
}
