package dev.carillon.loop;

import dev.carillon.ClosedException;
import dev.carillon.loop.queue.ShortMemory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How a loop ends: services first, then everything that was accepted is run or cancelled, then the descriptors go.
 *
 * <p><b>Threading:</b> {@link #close}: any thread; the rest: the loop thread, or whoever took its part.
 */
final class LoopEnding {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long TAKE_OVER_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_AGAIN_NANOS = 20_000;
    private static final long LATE_POST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int STEPS = 6;

    private final PollingLoop loop;

    /** One way: the loop thread is refused, too. */
    private volatile boolean begun;

    /** One way: an error has ended the loop, or is about to. */
    private volatile boolean failed;

    /** When threads that have claimed a place in the queue must have filled it. */
    private long lastLook;

    /** The first error of the VM that ends loops, of those that came while this one was ended. */
    private @Nullable VirtualMachineError fatal;

    LoopEnding(PollingLoop loop) {
        this.loop = loop;
    }

    /** Whether nothing new is taken any more, not even from the loop thread. */
    boolean hasBegun() {
        return begun;
    }

    boolean hasFailed() {
        return failed;
    }

    /** In good order: where memory is short, each step is tried again until it is done. */
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

    /** Each may be done twice. */
    private void step(int number) {
        switch (number) {
            case 0 -> loop.services().closeAll();
            case 1 -> {
                begun = true;
                lastLook = System.nanoTime() + LATE_POST_NANOS;
                cancelAll();
            }
            case 2 -> runWhatWasAccepted();
            case 3 -> loop.watchdog().end();
            case 4 -> closeDescriptors();
            default -> loop.binding().end();
        }
    }

    /**
     * After an error that the loop cannot go on with: the end is the same, since each task was accepted.
     *
     * @param cause for the error handler; null if somebody else has told it
     */
    // r[impl loop.errors]
    void abandon(@Nullable Throwable cause) {
        failed = true;
        Throwable untold = cause;
        while (!loop.binding().isEnded()) {
            try {
                loop.runner().endNow();
                if (untold != null) {
                    Throwable told = untold;
                    untold = null;
                    loop.report(told);
                }
                end();
            } catch (OutOfMemoryError memoryIsShort) {
                awaitMemory(memoryIsShort);
            }
        }
    }

    /** On the loop's own thread, which is about to end: if it never came to run the loop, the loop ends here. */
    void giveUp() {
        if (!loop.binding().isEnded() && loop.binding().takeOver()) {
            try {
                // Its thread dies of what has happened, and tells of it.
                abandon(null);
            } finally {
                loop.binding().exit();
            }
        }
    }

    private void runWhatWasAccepted() {
        long claimed = loop.work().foreign.close();
        boolean complete;
        while (true) {
            drain();
            cancelAll();
            complete = loop.work().foreign.takenUpTo(claimed) && !loop.work().isReady();
            if (complete || System.nanoTime() - lastLook > 0) {
                break;
            }
            // A thread is between claiming its place in the queue and filling it, and may need this processor.
            LockSupport.parkNanos(loop, LOOK_AGAIN_NANOS);
        }
        if (!complete) {
            LoopLog.warn(loop + " ends although a thread that posts to it has not finished doing so");
        }
        LoopLog.reportWhatWasLeftOut();
    }

    private void cancelAll() {
        loop.timers().cancelAll();
        loop.io().failAll(new ClosedException(loop + " was closed while operations waited"));
    }

    /** What was accepted is run, all of it, whatever one of them throws. */
    private void drain() {
        LoopWork work = loop.work();
        Object item;
        while ((item = work.completions.poll()) != null
                || (item = work.local.poll()) != null
                || (item = work.foreign.poll()) != null) {
            try {
                work.runPosted(item);
            } catch (OutOfMemoryError memoryIsShort) {
                awaitMemory(memoryIsShort);
            } catch (VirtualMachineError thrown) {
                loop.report(thrown);
                fatal = fatal == null ? thrown : fatal;
            }
        }
    }

    private void closeDescriptors() {
        try {
            loop.io().close();
        } catch (RuntimeException failure) {
            loop.report(failure);
        }
    }

    private void awaitMemory(OutOfMemoryError memoryIsShort) {
        try {
            loop.report(memoryIsShort);
            ShortMemory.pause();
        } catch (OutOfMemoryError stillShort) {
            Thread.onSpinWait();
        }
    }

    /** Waits for the end, or brings it about if nobody runs the loop. */
    void close() {
        LoopBinding binding = loop.binding();
        long deadline = System.nanoTime() + CLOSE_NANOS;
        boolean interrupted = false;
        while (!binding.isEnded()) {
            if (binding.takeOver()) {
                try {
                    endInTakeOver();
                } finally {
                    binding.exit();
                }
            } else if (LoopBinding.current() != null) {
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
            loop.binding().ended().await(TAKE_OVER_AGAIN_NANOS, TimeUnit.NANOSECONDS);
            return false;
        } catch (InterruptedException waitOn) {
            return true;
        }
    }

    private IllegalStateException stuck() {
        Thread thread = loop.thread();
        IllegalStateException failure = new IllegalStateException(loop + " did not end within "
                + TimeUnit.NANOSECONDS.toSeconds(CLOSE_NANOS)
                + " s, since a callback does not return; the cause shows where its thread stands");
        if (thread != null) {
            Throwable stack = new Throwable("thread " + thread.getName());
            stack.setStackTrace(thread.getStackTrace());
            failure.initCause(stack);
        }
        return failure;
    }
}
