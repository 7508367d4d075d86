package dev.carillon.test.proc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * For a child of a test: a thread that waits with a deadline, while signals interrupt its system call all the time.
 *
 * <p>The signal needs a handler without SA_RESTART, so that the call fails with EINTR.
 */
public final class SignalStorm {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int FEW = 100;
    private static final int ATTEMPTS = 3;

    /** A wait that the storm stretches would go on as long as the storm does. */
    private static final long STORM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private SignalStorm() {}

    /** A wait that times out. */
    @FunctionalInterface
    public interface Wait {
        /** Waits, and says whether the deadline has passed. */
        boolean until(long deadlineNanos) throws InterruptedException;
    }

    /**
     * Prints how late the wait came back. On a machine that stands still one wait may be late, or see few signals: then
     * another one counts.
     *
     * @param threadId the number of the calling thread
     * @param send sends the signal to a thread of that number
     * @throws AssertionError if it comes back too early, or each time too late or not at all
     */
    public static void over(Wait wait, IntSupplier threadId, IntConsumer send) throws Exception {
        boolean inTime = false;
        for (int attempt = 0; attempt < ATTEMPTS && !inTime; attempt++) {
            inTime = isInTime(wait, threadId, send);
        }
        if (!inTime) {
            throw new AssertionError("each time too late, not at all, or no storm");
        }
    }

    private static boolean isInTime(Wait wait, IntSupplier threadId, IntConsumer send) throws Exception {
        CompletableFuture<Integer> number = new CompletableFuture<>();
        CompletableFuture<Long> late = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            number.complete(threadId.getAsInt());
            late.complete(lateness(wait));
            park(late);
        });
        waiter.setDaemon(true);
        waiter.start();
        int target = number.get(30, TimeUnit.SECONDS);
        int signals = 0;
        long end = System.nanoTime() + STORM_NANOS;
        while (!late.isDone() && System.nanoTime() - end < 0) {
            send.accept(target);
            signals++;
            LockSupport.parkNanos(50_000);
        }
        if (!late.isDone()) {
            System.out.println(signals + " signals, and the wait does not end");
            return false;
        }
        System.out.println(signals + " signals, late by " + late.join() / 1_000 + " us");
        if (late.join() < 0) {
            throw new AssertionError("too early");
        }
        return signals >= FEW && late.join() <= LATE_NANOS;
    }

    private static long lateness(Wait wait) {
        long deadline = System.nanoTime() + WAIT_NANOS;
        try {
            return wait.until(deadline) ? System.nanoTime() - deadline : Long.MIN_VALUE;
        } catch (InterruptedException e) {
            throw new IllegalStateException("no code interrupts this thread", e);
        }
    }

    /** The thread stays, so that no late signal is sent to a thread that has gone. */
    private static void park(Object blocker) {
        while (true) {
            LockSupport.park(blocker);
        }
    }
}
