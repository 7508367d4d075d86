package dev.carillon.memory;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Bytes that several threads or processes share, with the memory order in the name of each access.
 *
 * <p>The words are the JDK's ({@link java.lang.invoke.VarHandle}): without suffix plain, then opaque, acquire and release, volatile.
 * Offsets count from the start of this view; an access at a misaligned offset gives IllegalArgumentException (plain ones
 * with {@code -Dcarillon.checks=true} only), one outside
 * IndexOutOfBoundsException, a write into a read-only region {@link java.nio.ReadOnlyBufferException}, an access after
 * the close {@link dev.carillon.ClosedException}. No access allocates. Numbers are in the machine's byte order.
 *
 * <p>There is no compareAndExchange on purpose: JDK 17 and 25 can crash in it when a mapped file is truncated.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> belongs to its region. A reachable view keeps the addresses, though not the memory, of a closed
 * region; an access that races with the close reads zeros or writes to nowhere.
 *
 * <p><b>Order:</b> what one side wrote before a release is seen by a side that acquires the written value, in the same
 * process or another; volatile accesses, compareAndSet, getAndAdd and getAndSet are also in one total order.
 */
// r[impl memory.order]
public final class OrderedBytes extends PlainBytes {
    OrderedBytes(ByteBuffer bytes, RegionViews views, int start) {
        super(bytes, views, start);
    }

    /**
     * A part of these bytes as a view of its own; made once and kept, not per message.
     *
     * @param offset where it starts, a multiple of eight
     * @param length how many bytes it has
     */
    public OrderedBytes slice(int offset, int length) {
        ByteBuffer part;
        try {
            part = bytes.slice(offset, length);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, length, e);
        }
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("a slice starts at a multiple of 8: offset=" + offset);
        }
        return views.add(new OrderedBytes(part, views, start + offset));
    }

    /** Reads an int that is whole and not cached, without order to other offsets. */
    public int getIntOpaque(int offset) {
        try {
            return (int) INT.getOpaque(bytes, offset);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads an int; this thread's later accesses stay after it. */
    public int getIntAcquire(int offset) {
        try {
            return (int) INT.getAcquire(bytes, offset);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads an int in the total order of volatile accesses. */
    public int getIntVolatile(int offset) {
        try {
            return (int) INT.getVolatile(bytes, offset);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes an int that is whole and will be seen, without order to other offsets. */
    public void putIntOpaque(int offset, int value) {
        try {
            INT.setOpaque(bytes, offset, value);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes an int; this thread's earlier accesses stay before it. */
    public void putIntRelease(int offset, int value) {
        try {
            INT.setRelease(bytes, offset, value);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes an int in the total order of volatile accesses. */
    public void putIntVolatile(int offset, int value) {
        try {
            INT.setVolatile(bytes, offset, value);
            views.ensureKept();
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes an int if the expected one is there, as a volatile access; false if another one is. */
    public boolean compareAndSetInt(int offset, int expected, int value) {
        try {
            reach(offset, Integer.BYTES);
            boolean isSet = INT.compareAndSet(bytes, offset, expected, value);
            views.ensureKept();
            return isSet;
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } catch (InternalError e) {
            throw views.behind(e, start + offset);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Adds to an int as one volatile access, and returns what was there before. */
    public int getAndAddInt(int offset, int delta) {
        try {
            reach(offset, Integer.BYTES);
            int before = (int) INT.getAndAdd(bytes, offset, delta);
            views.ensureKept();
            return before;
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } catch (InternalError e) {
            throw views.behind(e, start + offset);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Replaces an int as one volatile access, and returns what was there before. */
    public int getAndSetInt(int offset, int value) {
        try {
            reach(offset, Integer.BYTES);
            int before = (int) INT.getAndSet(bytes, offset, value);
            views.ensureKept();
            return before;
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Integer.BYTES, e);
        } catch (InternalError e) {
            throw views.behind(e, start + offset);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads a long that is whole and not cached, without order to other offsets. */
    public long getLongOpaque(int offset) {
        try {
            return (long) LONG.getOpaque(bytes, offset);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads a long; this thread's later accesses stay after it. */
    public long getLongAcquire(int offset) {
        try {
            return (long) LONG.getAcquire(bytes, offset);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads a long in the total order of volatile accesses. */
    public long getLongVolatile(int offset) {
        try {
            return (long) LONG.getVolatile(bytes, offset);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes a long that is whole and will be seen, without order to other offsets. */
    public void putLongOpaque(int offset, long value) {
        try {
            LONG.setOpaque(bytes, offset, value);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes a long; this thread's earlier accesses stay before it. */
    public void putLongRelease(int offset, long value) {
        try {
            LONG.setRelease(bytes, offset, value);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes a long in the total order of volatile accesses. */
    public void putLongVolatile(int offset, long value) {
        try {
            LONG.setVolatile(bytes, offset, value);
            views.ensureKept();
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes a long if the expected one is there, as a volatile access; false if another one is. */
    public boolean compareAndSetLong(int offset, long expected, long value) {
        try {
            reach(offset, Long.BYTES);
            boolean isSet = LONG.compareAndSet(bytes, offset, expected, value);
            views.ensureKept();
            return isSet;
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } catch (InternalError e) {
            throw views.behind(e, start + offset);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Adds to a long as one volatile access, and returns what was there before. */
    public long getAndAddLong(int offset, long delta) {
        try {
            reach(offset, Long.BYTES);
            long before = (long) LONG.getAndAdd(bytes, offset, delta);
            views.ensureKept();
            return before;
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } catch (InternalError e) {
            throw views.behind(e, start + offset);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Replaces a long as one volatile access, and returns what was there before. */
    public long getAndSetLong(int offset, long value) {
        try {
            reach(offset, Long.BYTES);
            long before = (long) LONG.getAndSet(bytes, offset, value);
            views.ensureKept();
            return before;
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw refused(offset, Long.BYTES, e);
        } catch (InternalError e) {
            throw views.behind(e, start + offset);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Comes before an atomic access to a file that can lose pages: HotSpot ends the VM if it interprets one of those on a
     * page that is not there. What is out of bounds the access itself refuses.
     */
    // r[impl memory.truncation]
    private void reach(int offset, int size) {
        LossyPages lossy = views.lossy;
        if (lossy != null && offset >= 0 && offset <= capacity - size) {
            lossy.reach(start + offset);
        }
    }
}
