package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports a callback that keeps a loop from polling, once per callback, while the callback runs. Without a limit it does
 * nothing and has no thread.
 *
 * <p><b>Threading:</b> begin, idle, end: the loop thread. The watchdog looks from a thread of its own.
 */
// r[impl loop.observability]
final class Watchdog {
    private final LoopThread loopThread;
    private final LongSupplier progress;
    private final ErrorSink errors;
    private final long limitNanos;
    private volatile boolean idle = true;
    private volatile boolean ended;
    private @Nullable Thread thread;

    /** Watches a thread whose progress changes whenever callbacks have come back. */
    Watchdog(LoopThread loopThread, LongSupplier progress, ErrorSink errors, Duration limit) {
        this.loopThread = loopThread;
        this.progress = progress;
        this.errors = errors;
        this.limitNanos = Deadlines.after(0, limit);
    }

    void begin() {
        idle = false;
        if (limitNanos > 0 && thread == null && !ended) {
            Thread watcher = new Thread(this::watch, loopThread.name() + "-watchdog");
            watcher.setDaemon(true);
            watcher.start();
            thread = watcher;
        }
    }

    /** Says whether the loop polls, or no thread runs it. */
    void idle(boolean value) {
        if (limitNanos > 0) {
            idle = value;
        }
    }

    void end() {
        ended = true;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    private void watch() {
        long seen = progress.getAsLong();
        long since = System.nanoTime();
        boolean reported = false;
        while (!ended) {
            LockSupport.parkNanos(this, Math.max(1, limitNanos / 4));
            long now = System.nanoTime();
            long current = progress.getAsLong();
            if (idle || current != seen) {
                seen = current;
                since = now;
                reported = false;
            } else if (!reported && now - since >= limitNanos) {
                reported = report(now - since);
            }
        }
    }

    private boolean report(long blockedNanos) {
        Thread blocked = loopThread.thread();
        if (blocked != null) {
            errors.report(
                    new BlockedCallbackException(blocked, Duration.ofNanos(blockedNanos), blocked.getStackTrace()));
        }
        return true;
    }
}
