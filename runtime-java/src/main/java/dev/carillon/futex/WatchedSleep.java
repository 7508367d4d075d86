package dev.carillon.futex;

import dev.carillon.sys.VirtualThreads;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Parks its threads, while one thread of ours looks at all of their words: how virtual threads sleep, which would keep
 * their carriers in the kernel.
 *
 * <p>A wake by this process unparks them. What another process changes, the thread finds when it looks, after pauses of 1
 * us to 1 ms, doubled each time. It ends a second after the last wait.
 */
// r[impl futex.virtual]
final class WatchedSleep implements WordSleep {
    private static final WatchedSleep ALL =
            new WatchedSleep(look -> new Thread(null, look, "carillon-futex-watch", 0, false));

    private static final int NONE = 0;
    private static final int STARTING = 1;
    private static final int WATCHED = 2;

    /** For a waiter that comes while another one starts the thread, which may fail. */
    private static final long STARTING_NANOS = 50_000;

    private static final long FIRST_PAUSE_NANOS = 1_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();

    /** NONE -> STARTING (a waiter, which starts the thread) -> WATCHED (the thread) -> NONE (the thread, when it ends). */
    private final AtomicInteger state = new AtomicInteger(NONE);

    private volatile @Nullable Thread watcher;

    private final ThreadFactory threads;

    WatchedSleep(ThreadFactory threads) {
        this.threads = threads;
    }

    static WatchedSleep all() {
        return ALL;
    }

    /** How the calling thread has to sleep. */
    static WordSleep unlessPlatform(WordSleep ofPlatformThreads) {
        return VirtualThreads.isCurrent() ? ALL : ofPlatformThreads;
    }

    @Override
    public WaitResult await(SharedWord word, int expected, long deadlineNanos) throws InterruptedException {
        Waiter waiter = new Waiter(word, expected, Thread.currentThread());
        waiters.add(waiter);
        try {
            if (isWatched()) {
                LockSupport.unpark(watcher);
            }
            return await(waiter, deadlineNanos);
        } finally {
            waiters.remove(waiter);
        }
    }

    private WaitResult await(Waiter waiter, long deadlineNanos) throws InterruptedException {
        while (waiter.isWaiting()) {
            if (Thread.currentThread().isInterrupted()) {
                if (waiter.end()) {
                    Thread.interrupted();
                    throw new InterruptedException("interrupted while it waited on a word");
                }
            } else if (waiter.word.isClosed() || waiter.word.look() != waiter.expected) {
                return WaitResult.WOKEN;
            } else if (deadlineNanos == Long.MAX_VALUE && isWatched()) {
                LockSupport.park(waiter.word);
            } else {
                long left = deadlineNanos == Long.MAX_VALUE ? deadlineNanos : deadlineNanos - System.nanoTime();
                if (left > 0) {
                    LockSupport.parkNanos(waiter.word, isWatched() ? left : Math.min(left, STARTING_NANOS));
                } else if (waiter.end()) {
                    return WaitResult.TIMED_OUT;
                }
            }
        }
        return WaitResult.WOKEN;
    }

    /** Those who sleep in the kernel are of other processes, or platform threads. */
    @Override
    public int wake(SharedWord word, int most) {
        return PollingSleep.wakeInKernel(word, most);
    }

    @Override
    public boolean reachesAll() {
        return KernelSleep.orPolling().reachesAll();
    }

    /** Wakes those of this process who are parked; returns how many that were. */
    int wakeParked(SharedWord word, int most) {
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

    /** Whether the thread looks. If it was not started, the caller starts it: no thread parks for long without it. */
    // r[impl futex.watcher]
    private boolean isWatched() {
        if (state.get() == NONE && state.compareAndSet(NONE, STARTING)) {
            start();
        }
        return state.get() == WATCHED;
    }

    private void start() {
        boolean started = false;
        try {
            Thread thread = threads.newThread(this::look);
            thread.setDaemon(true);
            thread.start();
            started = true;
        } finally {
            if (!started) {
                // A waiter that has come meanwhile looks again soon, and then starts one, or fails as this one does.
                state.set(NONE);
            }
        }
    }

    /** The thread. A waiter comes to the set first and looks for the thread after that; the thread goes in that order. */
    private void look() {
        watcher = Thread.currentThread();
        state.set(WATCHED);
        while (true) {
            try {
                lookUntilIdle();
                state.set(NONE);
                if (waiters.isEmpty() || !state.compareAndSet(NONE, WATCHED)) {
                    return;
                }
                watcher = Thread.currentThread();
            } catch (InternalError late) {
                // The VM tells of a page that is gone when it likes; the look of its waiter finds it too.
                Thread.onSpinWait();
            } catch (OutOfMemoryError memoryIsShort) {
                // It looks again: threads that are parked have no other watcher.
                pauseForMemory();
            }
        }
    }

    /** The VM may need memory for a line that was never run before: then it returns at once. */
    private void pauseForMemory() {
        try {
            LockSupport.parkNanos(this, LONGEST_PAUSE_NANOS);
        } catch (OutOfMemoryError stillShort) {
            Thread.onSpinWait();
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

    /** One thread that waits; true as long as it does. What makes it false has ended the wait. */
    private static final class Waiter {
        final SharedWord word;
        final int expected;
        final Thread thread;
        private final AtomicBoolean waiting = new AtomicBoolean(true);

        Waiter(SharedWord word, int expected, Thread thread) {
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
                return !isWaiting() || word.isClosed() || word.look() != expected;
            } catch (RuntimeException | Error forTheWaiter) {
                return true;
            }
        }
    }
}
