package dev.carillon.lifecycle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Does what may block, one after the other, on a thread of its own: who gives it something never waits for that.
 *
 * <p>States: CLOSED, where everything is done at once by who gives it, and there is no thread; CLOSED -> OPEN by an
 * {@link #open}; OPEN -> CLOSED by a {@link #close}, where the thread does first what it has. The thread begins with the first
 * thing that is to be done, and ends when there was none for a while. While one thing hangs, no more than a bound wait behind it:
 * what comes then is dropped and counted, and told when that one has ended.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl life.reports]
final class Lane {
    /** So many wait behind one that hangs. */
    static final int BOUND = 1024;

    private static final long IDLE_MILLIS = 10_000;

    private final String name;
    private final LongConsumer whenDropped;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private @Nullable Thread thread;
    private boolean isOpen;
    private long added;
    private long done;
    private long dropped;

    /** What was being done when a wait for it was given up: nobody waits for the same one again. */
    private long stuckAt = -1;

    /**
     * One that is closed.
     *
     * @param name of its thread
     * @param whenDropped gets how many were dropped, on its thread
     */
    Lane(String name, LongConsumer whenDropped) {
        this.name = name;
        this.whenDropped = whenDropped;
    }

    /** From now on it has a thread when it needs one. */
    synchronized void open() {
        isOpen = true;
    }

    /** Does what it has, and then gives its thread back. Does not wait for that. */
    synchronized void close() {
        isOpen = false;
        notifyAll();
    }

    /** Has something done. What that throws ends nothing, and is told by nobody. */
    void add(Runnable task) {
        if (!isForThread(task)) {
            tryRun(task);
        }
    }

    private synchronized boolean isForThread(Runnable task) {
        if (!isOpen && thread == null && waiting.isEmpty()) {
            return false;
        }
        if (waiting.size() >= BOUND) {
            dropped++;
            return true;
        }
        waiting.add(task);
        added++;
        if (thread == null) {
            begin();
        } else {
            notifyAll();
        }
        return true;
    }

    private void begin() {
        Thread fresh = new Thread(this::work, name);
        fresh.setDaemon(true);
        thread = fresh;
        try {
            fresh.start();
        } catch (OutOfMemoryError noThread) {
            // There are too many threads now. What comes next tries again.
            thread = null;
        }
    }

    private void work() {
        Runnable task;
        while ((task = next()) != null) {
            tryRun(task);
            long lost = takeDropped();
            if (lost > 0) {
                tryRun(() -> whenDropped.accept(lost));
            }
            done();
        }
    }

    private static void tryRun(Runnable task) {
        try {
            task.run();
        } catch (Throwable toldByNobody) {
            // A library that fails in any way keeps nothing else from being told.
            Thread.onSpinWait();
        }
    }

    private synchronized @Nullable Runnable next() {
        long began = System.nanoTime();
        long left = IDLE_MILLIS;
        boolean isAsked = false;
        while (waiting.isEmpty() && isOpen && left > 0 && !isAsked) {
            try {
                wait(left);
            } catch (InterruptedException ended) {
                isAsked = true;
            }
            left = IDLE_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        }
        Runnable task = waiting.poll();
        if (task == null) {
            thread = null;
        }
        return task;
    }

    private synchronized long takeDropped() {
        long lost = dropped;
        dropped = 0;
        return lost;
    }

    private synchronized void done() {
        done++;
        notifyAll();
    }

    /**
     * Waits until everything is done that it was given before. Where a wait was given up, and nothing has moved since, it does
     * not wait again.
     *
     * @return false if that took too long, or if this is its own thread
     */
    boolean flush(Duration atMost) {
        return flush(atMost, moved());
    }

    /** How far it has come, for {@link #flush(Duration, long)}. */
    synchronized long moved() {
        return done;
    }

    /**
     * As {@link #flush(Duration)}, in the rest of a time that was spent on others.
     *
     * @param atMost negative if nothing of it is left
     * @param since how far it had come when that time began: where it has not moved since, it had that time, too
     */
    synchronized boolean flush(Duration atMost, long since) {
        long wanted = added;
        long began = System.nanoTime();
        long left = atMost.toNanos();
        boolean wasInterrupted = false;
        while (done < wanted && done != stuckAt && left > 0 && thread != Thread.currentThread()) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException waitOn) {
                wasInterrupted = true;
            }
            left = atMost.toNanos() - (System.nanoTime() - began);
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (done < wanted && left <= 0 && (!atMost.isNegative() || done == since)) {
            stuckAt = done;
        }
        return done >= wanted;
    }
}
