package dev.carillon.futex;

import dev.carillon.sys.Feature;
import dev.carillon.sys.call.Sys;

/** How a thread sleeps on a word, and how it is woken. */
abstract sealed class WordSleep permits KernelSleep, PollingSleep, WatchedSleep {
    /** That of this machine. */
    // r[impl futex.fallback]
    static WordSleep chosen() {
        return Chosen.SLEEP;
    }

    /**
     * Sleeps while the word has a value.
     *
     * @param deadlineNanos on the clock of System.nanoTime(); Long.MAX_VALUE never comes
     * @throws InterruptedException if the thread is interrupted, before or while it sleeps
     */
    abstract WaitResult await(FutexWord word, int expected, long deadlineNanos) throws InterruptedException;

    /** Wakes so many at most of those who sleep in the kernel; returns how many that were. */
    abstract int wake(FutexWord word, int most);

    private static final class Chosen {
        static final WordSleep SLEEP = Feature.FUTEX.availability().isAvailable()
                ? new KernelSleep(Sys.get().futexes())
                : new PollingSleep();
    }
}
