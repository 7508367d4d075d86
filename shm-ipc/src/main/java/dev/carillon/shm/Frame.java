package dev.carillon.shm;

import dev.carillon.memory.OrderedBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A message: a type, flags, an id and bytes.
 *
 * <p>A frame that a {@link FrameHandler} gets lies in shared memory: it is valid until the handler returns, and a hostile
 * peer can change its bytes meanwhile. {@link #copy} gives one that is safe and stays.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class Frame {
    /** The types from here on are for control frames. */
    public static final int FIRST_CONTROL_TYPE = 0xFF00;

    private static final int MAX_SHORT = 0xFFFF;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer bytes;
    private int type;
    private int flags;
    private long id;
    private int offset;
    private int length;

    private Frame(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /**
     * A frame to send.
     *
     * @param type what it means to the receiver, 0 to 0xFEFF
     * @param id any number, such as that of a request
     * @param payload what remains in it is sent; its position stays
     */
    public static Frame of(int type, long id, ByteBuffer payload) {
        return of(type, 0, id, payload);
    }

    /** As {@link #of(int, long, ByteBuffer)}, with flags, 0 to 0xFFFF. */
    public static Frame of(int type, int flags, long id, ByteBuffer payload) {
        if (type < 0 || type >= FIRST_CONTROL_TYPE) {
            throw new IllegalArgumentException(
                    "type=" + type + ": a type is 0 to 0xFEFF; those above are for control frames");
        }
        if (flags < 0 || flags > MAX_SHORT) {
            throw new IllegalArgumentException("flags=" + flags + ": there are 16 of them, 0 to 0xFFFF");
        }
        Frame frame = new Frame(payload.duplicate().order(ByteOrder.nativeOrder()));
        frame.set(type, flags, id, payload.position(), payload.remaining());
        return frame;
    }

    /** A frame that is set to one message in shared memory after the other. */
    static Frame over(ByteBuffer shared) {
        return new Frame(shared);
    }

    void set(int newType, int newFlags, long newId, int newOffset, int newLength) {
        type = newType;
        flags = newFlags;
        id = newId;
        offset = newOffset;
        length = newLength;
    }

    /** Writes its bytes somewhere, without an object. */
    void copyTo(OrderedBytes target, int at) {
        target.putBytes(at, bytes, offset, length);
    }

    /** The memory is given back: whoever kept the frame finds it empty. */
    void letGo() {
        bytes = NOTHING;
        length = 0;
    }

    /** What it means to the receiver. */
    public int type() {
        return type;
    }

    /** Sixteen bits that are the sender's. */
    public int flags() {
        return flags;
    }

    /** The number that the sender gave it. */
    public long id() {
        return id;
    }

    /** How many bytes it has. */
    public int length() {
        return length;
    }

    /** Its bytes, in native order; valid as long as the frame. */
    public ByteBuffer payload() {
        return bytes.duplicate()
                .order(ByteOrder.nativeOrder())
                .limit(offset + length)
                .position(offset);
    }

    /** Eight of its bytes as a number in native order, without an object. */
    public long getLong(int index) {
        check(index, Long.BYTES);
        return bytes.getLong(offset + index);
    }

    /** Four of its bytes as a number in native order, without an object. */
    public int getInt(int index) {
        check(index, Integer.BYTES);
        return bytes.getInt(offset + index);
    }

    private void check(int index, int size) {
        if (index < 0 || index > length - size) {
            throw new IndexOutOfBoundsException("index=" + index + ": the frame has " + length + " bytes");
        }
    }

    /** A frame with bytes of its own, which stays. */
    public Frame copy() {
        ByteBuffer own = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        own.put(0, bytes, offset, length);
        Frame copied = new Frame(own);
        copied.set(type, flags, id, 0, length);
        return copied;
    }

    @Override
    public String toString() {
        return "Frame[type=" + type + ", flags=" + flags + ", id=" + id + ", length=" + length + "]";
    }
}
