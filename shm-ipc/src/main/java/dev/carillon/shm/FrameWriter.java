package dev.carillon.shm;

import dev.carillon.shm.ring.EntryLayout;
import java.nio.ByteBuffer;

/**
 * The next frame of a batch: its bytes are written where the peer will read them.
 *
 * <p>No method makes an object. Indexes count from the start of the frame's bytes.
 *
 * <p><b>Threading:</b> the thread's that writes the batch.
 */
public final class FrameWriter {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private static final int NOT_BEGUN = -1;

    private final LinkSender sender;
    private ByteBuffer shared = NOTHING;
    private boolean open;
    private int entry;
    private int length = NOT_BEGUN;
    private int slot = EntryLayout.INLINE;

    /** Where the bytes begin. */
    private int start;

    FrameWriter(LinkSender sender) {
        this.sender = sender;
    }

    /** A batch begins. */
    void open(ByteBuffer bytes) {
        shared = bytes;
        open = true;
    }

    /** It is over, and whoever kept this can write nowhere. */
    void shut() {
        shared = NOTHING;
        open = false;
        length = NOT_BEGUN;
    }

    /** The frame that is written next goes there. */
    void at(int nextEntry) {
        entry = nextEntry;
        length = NOT_BEGUN;
    }

    /** The most bytes that a frame can have. */
    public int maxLength() {
        return sender.maxLength();
    }

    /**
     * Makes room for the frame's bytes: in its entry of the ring, or in a slot if it is longer than that. They hold what an
     * earlier frame has left.
     *
     * @param type what it means to the receiver, 0 to 0xFEFF
     * @param flags 0 to 0xFFFF
     * @param id any number
     * @param bytes how many bytes it has
     * @return false if no slot is free: return false then, which ends the batch
     * @throws IllegalArgumentException if it is longer than {@link #maxLength}
     * @throws IllegalStateException if this frame was begun before
     */
    public boolean begin(int type, int flags, long id, int bytes) {
        Frame.ensureUsers(type, flags);
        sender.ensureFits(bytes);
        if (length != NOT_BEGUN || !open) {
            throw new IllegalStateException(
                    length == NOT_BEGUN
                            ? "the batch is over"
                            : "this frame was begun: return true, and begin the next one");
        }
        int claimed = sender.claim(bytes);
        if (claimed == LinkSender.NO_SLOT) {
            return false;
        }
        slot = claimed;
        start = claimed == EntryLayout.INLINE ? entry + EntryLayout.HEADER_BYTES : sender.slotOffset(claimed);
        length = bytes;
        // Nobody sees it before the batch is published, nor if it is not.
        sender.putHeader(entry, claimed, type, flags, 0, id, bytes);
        return true;
    }

    /** Writes eight bytes, in native order. */
    public FrameWriter putLong(int index, long value) {
        shared.putLong(place(index, Long.BYTES), value);
        return this;
    }

    /** Writes four bytes, in native order. */
    public FrameWriter putInt(int index, int value) {
        shared.putInt(place(index, Integer.BYTES), value);
        return this;
    }

    /** Writes one byte. */
    public FrameWriter putByte(int index, byte value) {
        shared.put(place(index, Byte.BYTES), value);
        return this;
    }

    /** Writes a part of an array. */
    public FrameWriter put(int index, byte[] source, int offset, int count) {
        shared.put(place(index, count), source, offset, count);
        return this;
    }

    /** Writes a part of a buffer, whose position stays. */
    public FrameWriter put(int index, ByteBuffer source, int offset, int count) {
        shared.put(place(index, count), source, offset, count);
        return this;
    }

    private int place(int index, int size) {
        if (index < 0 || size < 0 || index > length - size) {
            throw length == NOT_BEGUN
                    ? new IllegalStateException(
                            "begin() the frame before its bytes, and write none if it returns false")
                    : new IndexOutOfBoundsException(
                            "index=" + index + " size=" + size + ": the frame has " + length + " bytes");
        }
        return start + index;
    }

    /** The frame is whole; its length. */
    int finish() {
        if (length == NOT_BEGUN) {
            throw new IllegalStateException("a frame was not begun: begin() it, or return false to end the batch");
        }
        sender.handOver(slot);
        int written = length;
        length = NOT_BEGUN;
        return written;
    }

    /** The frame is not sent, if there is one. */
    void drop() {
        if (length != NOT_BEGUN) {
            length = NOT_BEGUN;
            sender.abortSlot(slot);
        }
    }

    @Override
    public String toString() {
        return length == NOT_BEGUN ? "FrameWriter[no frame]" : "FrameWriter[length=" + length + "]";
    }
}
