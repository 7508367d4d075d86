package dev.carillon.futex;

import dev.carillon.ClosedException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;

/**
 * An int in shared memory on which threads of any process can sleep until it changes.
 *
 * <p>The side that changes it wakes; a thread that was woken looks again:
 *
 * <pre>{@code
 * while (word.getAcquire() == EMPTY) {                             // one side
 *     word.await(EMPTY, deadlineNanos);
 * }
 *
 * word.putRelease(FULL);                                           // the other
 * word.wakeAll();
 * }</pre>
 *
 * <p>For anything but the word itself as the condition use an {@link EventCount}.
 *
 * <p><b>Threading:</b> any thread; waits block, and are refused on loop threads in checked mode. A virtual thread is
 * parked.
 *
 * <p><b>Ownership:</b> belongs to its region, whose close ends all waits of this process. Make it once and keep it.
 *
 * <p><b>Order:</b> waiting and waking publish nothing; the accessors do, as their names say.
 *
 * <p><b>See:</b> futex(2).
 */
public final class FutexWord {
    private final SharedWord word;
    private final WordSleep sleep;
    private final OrderedBytes bytes;
    private final int offset;

    FutexWord(MemoryRegion region, int offset, WordSleep sleep) {
        word = new SharedWord(region, offset, () -> wakeEach(Integer.MAX_VALUE));
        bytes = region.bytes();
        this.offset = offset;
        this.sleep = sleep;
        RegionWords.add(region, word);
    }

    /**
     * The word at an offset.
     *
     * @throws IllegalArgumentException if the offset is no multiple of 4
     * @throws IndexOutOfBoundsException if the word is not in the region
     * @throws ClosedException if the region is closed
     */
    public static FutexWord at(MemoryRegion region, int offset) {
        return new FutexWord(region, offset, KernelSleep.orPolling());
    }

    /**
     * Sleeps while the word has a value.
     *
     * @param expected the value that the caller has seen
     * @param deadlineNanos on the clock of System.nanoTime(), which is absolute: interruptions by signals cost nothing of
     *     it; Long.MAX_VALUE never comes
     * @throws IllegalArgumentException if the deadline is negative, as a time before the machine was started
     * @throws IllegalStateException on a loop thread, in checked mode
     * @throws ClosedException if the region is closed, before or meanwhile
     * @throws RegionTruncatedException if the file of the region was made shorter, before or meanwhile
     * @throws InterruptedException if the thread is interrupted; it ends the sleep at once
     */
    // r[impl futex.deadline] r[impl futex.errno]
    public WaitResult await(int expected, long deadlineNanos) throws InterruptedException {
        LoopThreads.ensureMayBlock("FutexWord.await");
        Deadlines.ensureNotNegative(deadlineNanos);
        word.enter();
        try {
            if (word.look() != expected) {
                return WaitResult.VALUE_CHANGED;
            }
            WaitResult result = WatchedSleep.unlessPlatform(sleep).await(word, expected, deadlineNanos);
            if (word.isClosed()) {
                throw word.closed("while a thread waited on it");
            }
            return result;
        } finally {
            word.leave();
        }
    }

    /**
     * Wakes one of those who wait in the kernel, or of the virtual threads of this process; false if there was none. Those
     * who poll find out by themselves, and those whose page was truncated too.
     */
    public boolean wakeOne() {
        return wake(1) > 0;
    }

    /** Wakes all; returns how many waited in the kernel, in all processes, and how many virtual threads here. */
    public int wakeAll() {
        return wake(Integer.MAX_VALUE);
    }

    private int wake(int most) {
        word.enter();
        try {
            return wakeEach(most);
        } finally {
            word.leave();
        }
    }

    private int wakeEach(int most) {
        int woken = sleep.wake(word, most);
        return woken + WatchedSleep.all().wakeParked(word, most - woken);
    }

    /** Where it is, for tests. */
    SharedWord word() {
        return word;
    }

    /** Whether its page can go away. */
    boolean canShrink() {
        return word.canShrink();
    }

    /** Reads it without order. */
    public int get() {
        return bytes.getInt(offset);
    }

    /** Reads it; later accesses of this thread stay after it. */
    public int getAcquire() {
        return bytes.getIntAcquire(offset);
    }

    /** Reads it in the total order of volatile accesses. */
    public int getVolatile() {
        return bytes.getIntVolatile(offset);
    }

    /** Writes it without order. No write wakes a thread. */
    public void put(int value) {
        bytes.putInt(offset, value);
    }

    /** Writes it; earlier accesses of this thread stay before it. */
    public void putRelease(int value) {
        bytes.putIntRelease(offset, value);
    }

    /** Writes it in the total order of volatile accesses. */
    public void putVolatile(int value) {
        bytes.putIntVolatile(offset, value);
    }

    /** Writes it if the expected value is there, as a volatile access; false if another one is. */
    public boolean compareAndSet(int expected, int value) {
        return bytes.compareAndSetInt(offset, expected, value);
    }

    /** Adds to it as one volatile access, and returns what was there before. */
    public int getAndAdd(int delta) {
        return bytes.getAndAddInt(offset, delta);
    }

    /** Replaces it as one volatile access, and returns what was there before. */
    public int getAndSet(int value) {
        return bytes.getAndSetInt(offset, value);
    }

    @Override
    public String toString() {
        return word.toString();
    }
}
