package dev.carillon.futex;

import dev.carillon.sys.VirtualThreads;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Parks its threads, while one thread of ours looks at all of their words: how virtual threads sleep, which would keep
 * their carriers in the kernel.
 *
 * <p>A wake by this process unparks them. What another process changes, the thread finds when it looks, after pauses of 1
 * us to 1 ms, doubled each time. It ends when nobody has waited for a second.
 */
// r[impl futex.virtual]
final class WatchedSleep extends WordSleep {
    private static final WatchedSleep ALL = new WatchedSleep();

    private static final long FIRST_PAUSE_NANOS = 1_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();

    /** false -> true (a waiter, which starts the thread) -> false (the thread, when it ends). */
    private final AtomicBoolean watched = new AtomicBoolean();

    private volatile @Nullable Thread watcher;

    private WatchedSleep() {}

    static WatchedSleep all() {
        return ALL;
    }

    /** How the calling thread has to sleep. */
    static WordSleep unlessPlatform(WordSleep ofPlatformThreads) {
        return VirtualThreads.isCurrent() ? ALL : ofPlatformThreads;
    }

    @Override
    WaitResult await(FutexWord word, int expected, long deadlineNanos) throws InterruptedException {
        Waiter waiter = new Waiter(word, expected, Thread.currentThread());
        waiters.add(waiter);
        try {
            watch();
            return await(waiter, deadlineNanos);
        } finally {
            waiters.remove(waiter);
        }
    }

    private static WaitResult await(Waiter waiter, long deadlineNanos) throws InterruptedException {
        while (waiter.isWaiting()) {
            if (Thread.currentThread().isInterrupted()) {
                if (waiter.end()) {
                    Thread.interrupted();
                    throw new InterruptedException("interrupted while it waited on a word");
                }
            } else if (waiter.word.isClosed() || waiter.word.look() != waiter.expected) {
                return WaitResult.WOKEN;
            } else if (deadlineNanos == Long.MAX_VALUE) {
                LockSupport.park(waiter.word);
            } else {
                long left = deadlineNanos - System.nanoTime();
                if (left > 0) {
                    LockSupport.parkNanos(waiter.word, left);
                } else if (waiter.end()) {
                    return WaitResult.TIMED_OUT;
                }
            }
        }
        return WaitResult.WOKEN;
    }

    /** Those who sleep in the kernel are of other processes, or platform threads. */
    @Override
    int wake(FutexWord word, int most) {
        return PollingSleep.wakeInKernel(word, most);
    }

    /** Wakes those of this process who are parked; returns how many that were. */
    int wakeParked(FutexWord word, int most) {
        int woken = 0;
        for (Waiter waiter : waiters) {
            if (woken == most) {
                break;
            }
            if (waiter.word.address() == word.address() && waiter.end()) {
                LockSupport.unpark(waiter.thread);
                woken++;
            }
        }
        return woken;
    }

    private void watch() {
        if (watched.compareAndSet(false, true)) {
            Thread thread = new Thread(null, this::look, "carillon-futex-watch", 0, false);
            thread.setDaemon(true);
            boolean started = false;
            try {
                watcher = thread;
                thread.start();
                started = true;
            } finally {
                if (!started) {
                    watched.set(false);
                }
            }
        } else {
            LockSupport.unpark(watcher);
        }
    }

    /** The thread. A waiter comes to the set first and looks for the thread after that; the thread goes in that order. */
    private void look() {
        while (true) {
            try {
                lookUntilIdle();
            } catch (InternalError late) {
                continue; // the VM tells of a page that is gone when it likes; the look of its waiter finds it too
            }
            watched.set(false);
            if (waiters.isEmpty() || !watched.compareAndSet(false, true)) {
                return;
            }
        }
    }

    private void lookUntilIdle() {
        long pause = FIRST_PAUSE_NANOS;
        long idleSince = System.nanoTime();
        while (!waiters.isEmpty() || System.nanoTime() - idleSince < PATIENCE_NANOS) {
            if (waiters.isEmpty()) {
                LockSupport.parkNanos(this, PATIENCE_NANOS);
            } else {
                pause = unparkChanged() ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
                LockSupport.parkNanos(this, pause);
                idleSince = System.nanoTime();
            }
        }
    }

    private boolean unparkChanged() {
        boolean any = false;
        for (Waiter waiter : waiters) {
            if (waiter.mustLook()) {
                LockSupport.unpark(waiter.thread);
                any = true;
            }
        }
        return any;
    }

    /** One thread that waits; true as long as it does. Who makes it false has ended the wait. */
    private static final class Waiter {
        final FutexWord word;
        final int expected;
        final Thread thread;
        private final AtomicBoolean waiting = new AtomicBoolean(true);

        Waiter(FutexWord word, int expected, Thread thread) {
            this.word = word;
            this.expected = expected;
            this.thread = thread;
        }

        boolean isWaiting() {
            return waiting.get();
        }

        boolean end() {
            return waiting.compareAndSet(true, false);
        }

        /** What goes wrong here is for the thread that waits, which makes the same look. */
        boolean mustLook() {
            try {
                return word.isClosed() || word.look() != expected;
            } catch (RuntimeException | Error forTheWaiter) {
                return true;
            }
        }
    }
}
