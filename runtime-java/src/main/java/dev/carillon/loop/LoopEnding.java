package dev.carillon.loop;

import dev.carillon.ClosedException;
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

    private final PollingLoop loop;

    /** One way: the loop thread is refused, too. */
    private volatile boolean begun;

    LoopEnding(PollingLoop loop) {
        this.loop = loop;
    }

    /** Whether nothing new is taken any more, not even from the loop thread. */
    boolean hasBegun() {
        return begun;
    }

    /** In good order. */
    void end() {
        loop.services().closeAll();
        begun = true;
        finish(true);
    }

    /** After an error that the loop cannot go on with: tasks are not called any more, but operations are told. */
    void abandon() {
        if (loop.binding().isEnded()) {
            return;
        }
        loop.runner().endNow();
        try {
            loop.services().closeAll();
        } finally {
            begun = true;
            finish(false);
        }
    }

    // r[impl loop.no-leak]
    private void finish(boolean runTasks) {
        VirtualMachineError fatal = null;
        try {
            cancelAll();
            long claimed = loop.work().foreign.close();
            long deadline = System.nanoTime() + LATE_POST_NANOS;
            boolean complete;
            do {
                VirtualMachineError thrown = drain(runTasks && fatal == null);
                fatal = fatal == null ? thrown : fatal;
                cancelAll();
                complete =
                        loop.work().foreign.takenUpTo(claimed) && !loop.work().isReady();
                if (!complete) {
                    // A thread is between claiming its place in the queue and filling it, and may need this processor.
                    LockSupport.parkNanos(loop, LOOK_AGAIN_NANOS);
                }
            } while (!complete && System.nanoTime() - deadline < 0);
            if (!complete) {
                LoopLog.LOG.error("{} ends although a thread that posts to it has not finished doing so", loop);
            }
        } finally {
            loop.watchdog().end();
            try {
                loop.io().close();
            } finally {
                loop.binding().end();
            }
        }
        if (fatal != null) {
            throw fatal;
        }
    }

    private void cancelAll() {
        loop.timers().cancelAll();
        loop.io().failAll(new ClosedException(loop + " was closed while operations waited"));
    }

    /** Returns the first error of the VM; what comes after it is told all the same, but tasks are not run. */
    private @Nullable VirtualMachineError drain(boolean runTasks) {
        LoopWork work = loop.work();
        VirtualMachineError first = null;
        Object item;
        while ((item = work.completions.poll()) != null
                || (item = work.local.poll()) != null
                || (item = work.foreign.poll()) != null) {
            if ((runTasks && first == null) || item instanceof LoopCommand) {
                try {
                    work.runPosted(item);
                } catch (VirtualMachineError fatal) {
                    first = first == null ? fatal : first;
                }
            }
        }
        return first;
    }

    /** Waits for the end, or brings it about if nobody runs the loop. */
    void close() {
        LoopBinding binding = loop.binding();
        long deadline = System.nanoTime() + CLOSE_NANOS;
        boolean interrupted = false;
        while (!binding.isEnded()) {
            if (LoopBinding.current() != null) {
                break; // a loop thread does not wait for another loop, and its own ends when the callback returns
            }
            if (binding.takeOver()) {
                try {
                    endInTakeOver();
                } finally {
                    binding.exit();
                }
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
            abandon();
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
