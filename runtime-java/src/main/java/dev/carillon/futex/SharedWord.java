package dev.carillon.futex;

import dev.carillon.ClosedException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.LibC;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A word as those see it who sleep on it: where it is, what is in it, and whether it is still there.
 *
 * <p>States: OPEN -> CLOSED (its region closes, and all threads are let out).
 *
 * <p><b>Threading:</b> any thread.
 */
final class SharedWord {
    private static final long PAUSE_NANOS = 20_000;

    private final MemoryRegion region;
    private final OrderedBytes bytes;
    private final int offset;
    private final long address;
    private final boolean canShrink;
    private final Runnable wakeAll;

    /** How many threads may use the address; it stays mapped to the memory until they are out. */
    private final AtomicInteger inside = new AtomicInteger();

    private volatile boolean closed;

    /**
     * A word of a region.
     *
     * @param wakeAll wakes all that sleep on it, for the close
     */
    // r[impl futex.alignment]
    SharedWord(MemoryRegion region, int offset, Runnable wakeAll) {
        if ((offset & (Integer.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("offset=" + offset + ": a word is aligned to 4 bytes");
        }
        if (offset < 0 || offset > region.size() - Integer.BYTES) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + ": a word has 4 bytes, the region has " + region.size());
        }
        this.region = region;
        this.offset = offset;
        this.wakeAll = wakeAll;
        bytes = region.bytes();
        address = LibC.get().addressOf(region.buffer()) + offset;
        canShrink = region.canShrink();
    }

    /** From now on the address is used, until {@link #leave}. */
    void enter() {
        inside.incrementAndGet();
        if (closed) {
            inside.decrementAndGet();
            throw closed("before it was used");
        }
    }

    void leave() {
        inside.decrementAndGet();
    }

    ClosedException closed(String when) {
        return new ClosedException(region + " was closed " + when);
    }

    /** The region is about to let go of the memory. A wake may come before its thread sleeps, so it is repeated. */
    void letAllOut() {
        closed = true;
        while (inside.get() > 0) {
            wakeAll.run();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    boolean isClosed() {
        return closed;
    }

    long address() {
        return address;
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
        return canShrink ? region.guarded(this::value) : value();
    }

    private int value() {
        return bytes.getIntVolatile(offset);
    }

    /** What a wait fails with when the kernel answers that there is no such memory. */
    RuntimeException lost() {
        if (canShrink) {
            look();
        }
        return Failure.of("futex", -Errno.EFAULT, this + ": its memory is gone");
    }

    @Override
    public String toString() {
        return "FutexWord[" + region + ", offset=" + offset + "]";
    }
}
