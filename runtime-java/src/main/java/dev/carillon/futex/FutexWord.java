package dev.carillon.futex;

import dev.carillon.ClosedException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * An int in shared memory on which threads of any process can sleep until it changes.
 *
 * <p>Whoever changes it wakes; whoever was woken looks again:
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
    private static final long PAUSE_NANOS = 20_000;

    private final WordSleep sleep;
    private final MemoryRegion region;
    private final OrderedBytes bytes;
    private final int offset;
    private final long address;
    private final boolean canShrink;

    /** How many threads may use the address; it stays mapped to the memory until they are out. */
    private final AtomicInteger inside = new AtomicInteger();

    private volatile boolean closed;

    FutexWord(MemoryRegion region, int offset, WordSleep sleep) {
        if ((offset & (Integer.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("offset=" + offset + ": a word is aligned to 4 bytes");
        }
        if (offset < 0 || offset > region.size() - Integer.BYTES) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + ": a word has 4 bytes, the region has " + region.size());
        }
        this.sleep = sleep;
        this.region = region;
        this.offset = offset;
        bytes = region.bytes();
        address = LibC.get().addressOf(region.buffer()) + offset;
        canShrink = region.canShrink();
        RegionWords.add(region, this);
    }

    /**
     * The word at an offset.
     *
     * @throws IllegalArgumentException if the offset is no multiple of 4
     * @throws IndexOutOfBoundsException if the word is not in the region
     * @throws ClosedException if the region is closed
     */
    // r[impl futex.alignment]
    public static FutexWord at(MemoryRegion region, int offset) {
        return new FutexWord(region, offset, WordSleep.chosen());
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
        enter();
        try {
            if (look() != expected) {
                return WaitResult.VALUE_CHANGED;
            }
            WaitResult result = WatchedSleep.unlessPlatform(sleep).await(this, expected, deadlineNanos);
            if (closed) {
                throw closedBeforeOr("while a thread waited on it");
            }
            return result;
        } finally {
            inside.decrementAndGet();
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
        enter();
        try {
            return wakeEach(most);
        } finally {
            inside.decrementAndGet();
        }
    }

    private int wakeEach(int most) {
        int woken = sleep.wake(this, most);
        return woken + WatchedSleep.all().wakeParked(this, most - woken);
    }

    private void enter() {
        inside.incrementAndGet();
        if (closed) {
            inside.decrementAndGet();
            throw closedBeforeOr("before it was used");
        }
    }

    private ClosedException closedBeforeOr(String when) {
        return new ClosedException(region + " was closed " + when);
    }

    /** The region is about to let go of the memory. A wake may come before its thread sleeps, so it is repeated. */
    void letAllOut() {
        closed = true;
        while (inside.get() > 0) {
            wakeEach(Integer.MAX_VALUE);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    long address() {
        return address;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether its page can go away. */
    boolean canShrink() {
        return canShrink;
    }

    /**
     * Its value, for a wait.
     *
     * @throws RegionTruncatedException if the file is shorter than the region
     */
    int look() {
        return canShrink ? region.guarded(this::getVolatile) : getVolatile();
    }

    /** What a sleeper says to whom the kernel says that there is no such memory. */
    RuntimeException lost() {
        if (canShrink) {
            look();
        }
        return Failure.of("futex", -Errno.EFAULT, this + ": its memory is gone");
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

    /** Writes it without order; wakes nobody, like all that write. */
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
        return "FutexWord[" + region + ", offset=" + offset + "]";
    }
}
