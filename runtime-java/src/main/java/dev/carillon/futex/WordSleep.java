package dev.carillon.futex;

/** How a thread sleeps on a word, and how it is woken. */
interface WordSleep {
    /**
     * Sleeps while the word has a value.
     *
     * @param deadlineNanos on the clock of System.nanoTime(); Long.MAX_VALUE never comes
     * @throws InterruptedException if the thread is interrupted, before or while it sleeps
     */
    WaitResult await(SharedWord word, int expected, long deadlineNanos) throws InterruptedException;

    /** Wakes so many at most of those who sleep in the kernel; returns how many that were. */
    int wake(SharedWord word, int most);

    /** Whether a wake reaches all who sleep in the kernel, also in other processes. */
    boolean reachesAll();
}
