package dev.carillon.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A moment that a test does not wait beyond.
 *
 * <p>{@code Deadline.after(Duration.ofSeconds(10)).await("the queue is empty", queue::isEmpty)} waits for a fact rather
 * than for a time. A wait that runs out of time ends with an {@link AssertionError} with the fact and the stacks of all threads.
 *
 * <p><b>Threading</b> Immutable; any thread may ask and wait.
 */
public final class Deadline {
    /** Facts that are about to become true are seen within microseconds; others cost no processor time. */
    private static final long SPIN_NANOS = 50_000;

    private static final long FIRST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private final Duration limit;
    private final long deadlineNanos;

    private Deadline(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException("limit=" + limit + " is negative");
        }
        this.limit = limit;
        this.deadlineNanos = System.nanoTime() + limit.toNanos();
    }

    /** A deadline that long from now. */
    public static Deadline after(Duration limit) {
        return new Deadline(limit);
    }

    /** The time that is left, zero when there is none. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }

    /** Whether no time is left. */
    public boolean isOver() {
        return deadlineNanos - System.nanoTime() <= 0;
    }

    /**
     * Waits until the fact is true.
     *
     * @param fact what is waited for, as the message shall name it: "the queue is empty"
     * @throws AssertionError when the time is over or the thread is interrupted, with all threads' stacks
     */
    public void await(String fact, BooleanSupplier isTrue) {
        if (!poll(isTrue)) {
            String cause = Thread.currentThread().isInterrupted() ? "was interrupted" : "waited " + limit;
            throw new AssertionError("Not true: " + fact + "; " + cause + ". " + ThreadDump.ofAll());
        }
    }

    /** Waits until the fact is true; false when it is not, at the deadline or when the thread is interrupted. */
    public boolean poll(BooleanSupplier isTrue) {
        long started = System.nanoTime();
        long pause = FIRST_PAUSE_NANOS;
        while (!isTrue.getAsBoolean()) {
            if (isOver() || Thread.currentThread().isInterrupted()) {
                return isTrue.getAsBoolean();
            }
            if (System.nanoTime() - started < SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, pause);
                pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
            }
        }
        return true;
    }

    /** Asks until there is something, or until there will be nothing more; the last answer counts, too. */
    <T> Optional<T> search(Supplier<Optional<T>> source, BooleanSupplier atEnd) {
        List<T> found = new ArrayList<>(1);
        poll(() -> {
            boolean last = atEnd.getAsBoolean();
            source.get().ifPresent(found::add);
            return last || !found.isEmpty();
        });
        return found.stream().findFirst();
    }

    /**
     * Runs something that may hang, in a thread of its own.
     *
     * <p><b>Ownership</b> On a hang that thread is interrupted and left behind; the failure shows where it stands.
     *
     * @return what the action returns
     * @throws Exception what the action throws
     * @throws AssertionError when it does not return in time, with all threads' stacks
     */
    public static <T extends @Nullable Object> T call(Duration limit, Callable<T> action) throws Exception {
        Outcome<T> outcome = new Outcome<>(action);
        Thread runner = new Thread(outcome, "deadline-call");
        runner.setDaemon(true);
        runner.start();
        runner.join(Math.max(1, limit.toMillis()));
        if (runner.isAlive()) {
            String dump = ThreadDump.ofAll();
            runner.interrupt();
            throw new AssertionError("The call did not return within " + limit + ". " + dump);
        }
        return outcome.get();
    }

    /** What the action came to; the end of the thread publishes it. */
    private static final class Outcome<T extends @Nullable Object> implements Runnable {
        private final Callable<T> action;
        private @Nullable T value;
        private @Nullable Throwable failure;

        Outcome(Callable<T> action) {
            this.action = action;
        }

        @Override
        @SuppressWarnings("CatchThrowable")
        public void run() {
            try {
                value = action.call();
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }

        @SuppressWarnings("NullAway")
        T get() throws Exception {
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof Exception exception) {
                throw exception;
            }
            return value;
        }
    }
}
