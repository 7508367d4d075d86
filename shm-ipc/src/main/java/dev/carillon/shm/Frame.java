package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.OrderedBytes;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A message: a type, flags, an id and bytes.
 *
 * <p>A frame that a {@link FrameHandler} gets lies in shared memory: it is valid until the handler returns, and a hostile
 * peer can change its bytes meanwhile. {@link #copy} gives one that is safe and stays; {@link #retain} one that stays
 * without a copy.
 *
 * <p><b>Threading:</b> one thread at a time; a frame from {@link #retain}, {@link #copy} or {@link #of} that nobody changes,
 * any threads.
 */
public final class Frame {
    /** The types from here on are for control frames. */
    public static final int FIRST_CONTROL_TYPE = 0xFF00;

    private static final int MAX_SHORT = 0xFFFF;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Who keeps the bytes of a frame that a handler has; null for others. */
    private final @Nullable FrameReturns keeper;

    /** What a retained frame has instead of {@link #bytes}; null for others. */
    private final @Nullable FrameHold hold;

    /**
     * Null once the link of the frame was closed. Not volatile, so that a read is ordered once, by {@link #ensureStill}, and not
     * before it as well: who takes the buffer of a link that is being closed reads zeros, and is told so then.
     */
    private @Nullable ByteBuffer bytes;

    private int type;
    private int flags;
    private int channel;
    private long id;
    private int offset;
    private int length;

    private Frame(ByteBuffer bytes, @Nullable FrameReturns keeper, @Nullable FrameHold hold) {
        this.bytes = bytes;
        this.keeper = keeper;
        this.hold = hold;
    }

    /**
     * A frame to send.
     *
     * @param type what it means to the receiver, 0 to 0xFEFF
     * @param id any number, such as that of a request
     * @param payload what remains in it now is sent; its position stays, and where it is moved later this frame stays the same.
     *     The bytes are not copied before the frame is sent
     */
    public static Frame of(int type, long id, ByteBuffer payload) {
        return of(type, 0, id, payload);
    }

    /** As {@link #of(int, long, ByteBuffer)}, with flags, 0 to 0xFFFF. */
    public static Frame of(int type, int flags, long id, ByteBuffer payload) {
        ensureUsers(type, flags);
        Frame frame = new Frame(payload.duplicate().order(ByteOrder.nativeOrder()), null, null);
        frame.set(type, flags, 0, id, payload.position(), payload.remaining());
        return frame;
    }

    /** Refuses what no frame of a user has. */
    static void ensureUsers(int type, int flags) {
        if (type < 0 || type >= FIRST_CONTROL_TYPE) {
            throw new IllegalArgumentException(
                    "type=" + type + ": a type is 0 to 0xFEFF; those above are for control frames");
        }
        if (flags < 0 || flags > MAX_SHORT) {
            throw new IllegalArgumentException("flags=" + flags + ": there are 16 of them, 0 to 0xFFFF");
        }
    }

    /** A frame that is set to one message in shared memory after the other. */
    static Frame over(ByteBuffer shared, FrameReturns keeper) {
        return new Frame(shared, keeper, null);
    }

    void set(int newType, int newFlags, int newChannel, long newId, int newOffset, int newLength) {
        type = newType;
        flags = newFlags;
        channel = newChannel;
        id = newId;
        offset = newOffset;
        length = newLength;
    }

    /** Writes its bytes somewhere, without an object. */
    void copyTo(OrderedBytes target, int at) {
        target.putBytes(at, source(), offset, length);
        ensureStill();
    }

    /** What {@link #copyInto} fills: nothing needs memory of the heap then. */
    static Frame room(int length) {
        return new Frame(ByteBuffer.allocate(length).order(ByteOrder.nativeOrder()), null, null);
    }

    /** As {@link #copy}, into a frame from {@link #room}. */
    void copyInto(Frame room) {
        ByteBuffer own = room.source();
        if (own.capacity() < length) {
            // Only a hostile peer changes the length after it was looked at.
            own = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
            room.bytes = own;
        }
        own.put(0, source(), offset, length);
        ensureStill();
        room.set(type, flags, channel, id, 0, length);
    }

    private ByteBuffer source() {
        if (hold != null) {
            return hold.bytes();
        }
        ByteBuffer there = bytes;
        if (there == null) {
            throw new ClosedException(
                    "the link of this frame was closed, and its memory is gone; copy() what stays longer");
        }
        return there;
    }

    /** To be called after a read: a frame can lose its bytes in the midst of it, and reads zeros then. */
    private void ensureStill() {
        // The read comes before the look.
        VarHandle.acquireFence();
        source();
    }

    /** The memory is about to be given back: whoever has the frame is told so. */
    void letGo() {
        bytes = null;
        // Before the memory is gone.
        VarHandle.fullFence();
    }

    /** What it means to the receiver. */
    public int type() {
        return type;
    }

    /** Sixteen bits that are the sender's. */
    public int flags() {
        return flags;
    }

    /** The id of the channel on which it was received; 0 if on none. Where it is sent, this does not count. */
    public int channel() {
        return channel;
    }

    /** The number that the sender gave it. */
    public long id() {
        return id;
    }

    /** How many bytes it has. */
    public int length() {
        return length;
    }

    /**
     * Its bytes and no others, in the order of the machine (that is little endian on x86-64), whatever the order of the buffer
     * that was sent. Valid as long as the frame.
     *
     * <p>What {@link #retain} has kept goes with the close of the link, and this buffer cannot throw: it reads zeros from then on.
     * Where another thread may close the link meanwhile, ask {@link #isReadable} after reading, or take {@link #getLong}, {@link
     * #getInt} or {@link #copy}, which do so themselves.
     */
    public ByteBuffer payload() {
        return source().slice(offset, length).order(ByteOrder.nativeOrder());
    }

    /**
     * Whether its bytes are there, which those of a retained frame are until its last release, or the close of the link. If so,
     * all that was read of {@link #payload} before this call were the bytes of the frame.
     */
    // r[impl shm.retain]
    public boolean isReadable() {
        VarHandle.acquireFence();
        return hold == null ? bytes != null : hold.isThere();
    }

    /** Eight of its bytes as a number in native order, without an object. */
    public long getLong(int index) {
        check(index, Long.BYTES);
        long value = source().getLong(offset + index);
        ensureStill();
        return value;
    }

    /** Four of its bytes as a number in native order, without an object. */
    public int getInt(int index) {
        check(index, Integer.BYTES);
        int value = source().getInt(offset + index);
        ensureStill();
        return value;
    }

    private void check(int index, int size) {
        if (index < 0 || index > length - size) {
            throw new IndexOutOfBoundsException("index=" + index + ": the frame has " + length + " bytes");
        }
    }

    /** A frame with bytes of its own, which stays. */
    public Frame copy() {
        ByteBuffer own = ownBytes();
        Frame copied = new Frame(own, null, null);
        copied.set(type, flags, channel, id, 0, length);
        return copied;
    }

    private ByteBuffer ownBytes() {
        ByteBuffer own = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        own.put(0, source(), offset, length);
        ensureStill();
        return own;
    }

    /**
     * Keeps a frame beyond its handler, until {@link #release}. A frame that came in a slot stays there: nothing is copied,
     * the sender has a slot less meanwhile, and a hostile peer can still change the bytes. A shorter one is copied.
     *
     * <p>Call it in the handler. The frame that it gives can be retained again, by each of its users, and each of them
     * releases it. After the last release, and after the link was closed, its bytes are refused.
     *
     * @return the frame that stays; this one, if it is one that stays until its release
     * @throws IllegalStateException if the handler of this frame has returned, or the frame was released
     */
    public Frame retain() {
        if (hold != null) {
            hold.add();
            return this;
        }
        source();
        FrameHold inSlot = keeper == null ? null : keeper.keep();
        if (inSlot == null) {
            ByteBuffer own = ownBytes();
            return retained(new FrameHold(() -> own, () -> {}), 0);
        }
        return retained(inSlot, offset);
    }

    private Frame retained(FrameHold by, int from) {
        Frame stays = new Frame(NOTHING, null, by);
        stays.set(type, flags, channel, id, from, length);
        return stays;
    }

    /**
     * Gives back what {@link #retain} has kept; by any thread. After the link was closed that is nothing.
     *
     * @throws IllegalStateException if this frame was not retained, or was released by all its users
     */
    public void release() {
        if (hold == null) {
            throw new IllegalStateException(this + " was not retained; release() is for the frame that retain() gives");
        }
        hold.release();
    }

    @Override
    public String toString() {
        return "Frame[type=" + type + ", flags=" + flags + ", id=" + id + ", length=" + length + "]";
    }
}
