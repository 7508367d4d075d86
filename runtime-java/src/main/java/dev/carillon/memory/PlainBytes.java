package dev.carillon.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The part of {@link OrderedBytes} that promises no order: plain accesses, bulk copies, and the refusal of bad offsets.
 *
 * <p>The happy path makes no check that the JDK makes too; {@link #refused} finds out afterwards what was wrong. Plain
 * numbers go through VarHandles as well: a ByteBuffer would look at its byte order each time, which costs more.
 */
// r[impl memory.no-allocation]
abstract class PlainBytes {
    static final VarHandle SHORT = elements(short[].class);
    static final VarHandle INT = elements(int[].class);
    static final VarHandle LONG = elements(long[].class);

    /** The test costs up to 40 % of a plain access on JDK 17; VarHandles have their own for the ordered ones. */
    private static final boolean CHECKS_PLAIN_ALIGNMENT = Boolean.getBoolean("carillon.checks");

    static {
        letCompilerSeeScopes();
    }

    /** What a view has after its region was closed: nothing. */
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    final RegionViews views;
    final int capacity;

    /** Where this view starts in its region. */
    final int start;

    /**
     * Keeps the mapping alive as long as this view is reachable, also after the close has replaced {@link #bytes}: a
     * compiled loop may have the address in a register, and at its safepoints only this view is known to be in use. The
     * fence in each access through a VarHandle says that it is; ByteBuffer's own accesses have one.
     */
    @SuppressWarnings({"unused", "FieldCanBeLocal"})
    private final ByteBuffer anchor;

    /** OPEN: the bytes; CLOSED: {@link #NOTHING}. Moved once, by the close; plain, because a late sight is harmless. */
    ByteBuffer bytes;

    PlainBytes(ByteBuffer bytes, RegionViews views, int start) {
        this.anchor = bytes;
        this.bytes = bytes.order(ByteOrder.nativeOrder());
        this.capacity = bytes.capacity();
        this.views = views;
        this.start = start;
    }

    /**
     * JDK 17 loads this class with the first access to a mapped buffer that is closed by somebody else, that is: never.
     * As long as it is not loaded, the compiler leaves accesses through VarHandles as calls in some callers, which made
     * them 2 to 6 times slower. Later JDKs have it from the start, or do not have it.
     */
    private static void letCompilerSeeScopes() {
        try {
            Class.forName("jdk.internal.misc.ScopedMemoryAccess$Scope", false, null);
        } catch (ClassNotFoundException e) {
            return; // a JDK without it needs nothing
        }
    }

    private static VarHandle elements(Class<?> array) {
        return MethodHandles.byteBufferViewVarHandle(array, ByteOrder.nativeOrder())
                .withInvokeExactBehavior();
    }

    final void takeBytesAway() {
        bytes = NOTHING;
    }

    /** The number of bytes; the same after the close. */
    public final int size() {
        return capacity;
    }

    /** Reads a byte. */
    public final byte getByte(int offset) {
        try {
            return bytes.get(offset);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Byte.BYTES, e);
        }
    }

    /** Writes a byte. */
    public final void putByte(int offset, byte value) {
        try {
            bytes.put(offset, value);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Byte.BYTES, e);
        }
    }

    /** Reads a short. */
    public final short getShort(int offset) {
        try {
            return (short) SHORT.get(bytes, aligned(offset, Short.BYTES));
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Short.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes a short. */
    public final void putShort(int offset, short value) {
        try {
            SHORT.set(bytes, aligned(offset, Short.BYTES), value);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Short.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads an int, in no order with other accesses. */
    public final int getInt(int offset) {
        try {
            return (int) INT.get(bytes, aligned(offset, Integer.BYTES));
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes an int, in no order with other accesses. */
    public final void putInt(int offset, int value) {
        try {
            INT.set(bytes, aligned(offset, Integer.BYTES), value);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Integer.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Reads a long, in no order with other accesses. */
    public final long getLong(int offset) {
        try {
            return (long) LONG.get(bytes, aligned(offset, Long.BYTES));
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Writes a long, in no order with other accesses. */
    public final void putLong(int offset, long value) {
        try {
            LONG.set(bytes, aligned(offset, Long.BYTES), value);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, Long.BYTES, e);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Copies {@code length} bytes from here into an array. */
    public final void getBytes(int offset, byte[] target, int targetOffset, int length) {
        try {
            bytes.get(offset, target, targetOffset, length);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, length, target.length, targetOffset, e);
        }
    }

    /** Copies {@code length} bytes of an array to here. */
    public final void putBytes(int offset, byte[] source, int sourceOffset, int length) {
        try {
            put(offset, source, sourceOffset, length);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, length, source.length, sourceOffset, e);
        }
    }

    /** Fills what remains of a buffer from here, and moves its position to its limit. */
    public final void getBytes(int offset, ByteBuffer target) {
        int length = target.remaining();
        try {
            target.put(target.position(), bytes, offset, length);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, length, e);
        }
        target.position(target.limit());
    }

    /** Copies what remains of a buffer to here, and moves its position to its limit. */
    public final void putBytes(int offset, ByteBuffer source) {
        int length = source.remaining();
        try {
            put(offset, source, source.position(), length);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, length, e);
        }
        source.position(source.limit());
    }

    /** Copies {@code length} bytes of a buffer, from an index on, to here; its position stays. */
    public final void putBytes(int offset, ByteBuffer source, int sourceOffset, int length) {
        try {
            put(offset, source, sourceOffset, length);
        } catch (IndexOutOfBoundsException e) {
            throw refused(offset, length, source.limit(), sourceOffset, e);
        }
    }

    private void put(int offset, ByteBuffer source, int sourceOffset, int length) {
        if (length >= LongCopy.LEAST && source.hasArray()) {
            Objects.checkFromIndexSize(sourceOffset, length, source.limit());
            put(offset, source.array(), source.arrayOffset() + sourceOffset, length);
        } else {
            bytes.put(offset, source, sourceOffset, length);
        }
    }

    private void put(int offset, byte[] source, int sourceOffset, int length) {
        LongCopy copy = views.longCopy;
        if (length < LongCopy.LEAST || copy == null) {
            bytes.put(offset, source, sourceOffset, length);
            return;
        }
        Objects.checkFromIndexSize(offset, length, bytes.capacity());
        Objects.checkFromIndexSize(sourceOffset, length, source.length);
        try {
            if (!copy.write(start + offset, source, sourceOffset, length)) {
                bytes.put(offset, source, sourceOffset, length);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Views start at multiples of eight, so the offset alone tells whether the address is aligned. */
    private int aligned(int offset, int size) {
        if (CHECKS_PLAIN_ALIGNMENT && (offset & (size - 1)) != 0) {
            throw refused(offset, size, new IllegalStateException("misaligned"));
        }
        return offset;
    }

    /** What was wrong with an access that the JDK or {@link #aligned} has refused. */
    // r[impl memory.bounds]
    // r[impl memory.alignment]
    final RuntimeException refused(int offset, int size, RuntimeException found) {
        if (views.isClosed()) {
            return views.closed("an access at offset=" + offset);
        }
        String access = "offset=" + offset + " size=" + size + " capacity=" + capacity;
        if (size < 0 || offset < 0 || offset > capacity - size) {
            return new IndexOutOfBoundsException("outside the region: " + access);
        }
        if ((offset & (size - 1)) != 0) {
            return new IllegalArgumentException("not aligned to its size: " + access);
        }
        return found;
    }

    private RuntimeException refused(
            int offset, int length, int arrayLength, int arrayOffset, IndexOutOfBoundsException found) {
        boolean fitsArray = length >= 0 && arrayOffset >= 0 && arrayOffset <= arrayLength - length;
        if (fitsArray || views.isClosed()) {
            return refused(offset, length, found);
        }
        return new IndexOutOfBoundsException(
                "outside the array: offset=" + arrayOffset + " size=" + length + " capacity=" + arrayLength);
    }
}
