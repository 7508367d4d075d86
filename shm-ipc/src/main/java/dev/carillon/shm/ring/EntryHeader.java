package dev.carillon.shm.ring;

import dev.carillon.memory.OrderedBytes;

/**
 * The receiver's private copy of an entry's header. It is made once and loaded again for each entry.
 *
 * <p>The peer can change the shared header at any time, so nothing but the copy is looked at. After {@link #load} the copy
 * is consistent in itself. Whether its slot is the right one the slots know, and what its type and channel mean the link
 * knows.
 *
 * <p><b>Threading:</b> the receiver's.
 */
// r[impl shm.descriptor]
public final class EntryHeader {
    private int type;
    private int flags;
    private int channel;
    private long id;
    private int length;
    private int slot;
    private int generation;

    /**
     * Copies the header of an entry that the ring says is published, and checks the copy.
     *
     * @param entry offset of the entry
     * @param inlineBytes payload bytes of an entry
     * @throws EntryViolation if no correct peer writes such a header
     */
    public void load(OrderedBytes bytes, int entry, int inlineBytes) {
        long first = bytes.getLong(entry + EntryLayout.FIRST);
        id = bytes.getLong(entry + EntryLayout.ID);
        long third = bytes.getLong(entry + EntryLayout.LENGTH);
        long last = bytes.getLong(entry + EntryLayout.GENERATION);
        int kind = EntryLayout.firstInt(first);
        type = EntryLayout.firstShort(kind);
        flags = EntryLayout.secondShort(kind);
        channel = EntryLayout.secondInt(first);
        length = EntryLayout.firstInt(third);
        slot = EntryLayout.secondInt(third) - 1;
        generation = EntryLayout.firstInt(last);
        if (EntryLayout.secondInt(last) != 0) {
            throw new EntryViolation("the last word must be 0 and is " + EntryLayout.secondInt(last), this);
        }
        verify(inlineBytes);
    }

    private void verify(int inlineBytes) {
        if (slot == EntryLayout.INLINE) {
            if (length < 0 || length > inlineBytes) {
                throw new EntryViolation("an inline payload has 0 to " + inlineBytes + " bytes", this);
            }
            if (generation != 0) {
                throw new EntryViolation("without a slot the generation is 0", this);
            }
        } else if (length < 0 || slot < 0) {
            throw new EntryViolation("length and slot are below 2^31", this);
        }
    }

    /** The frame's type, 0 to 65,535. */
    public int type() {
        return type;
    }

    /** The frame's flags, 0 to 65,535. */
    public int flags() {
        return flags;
    }

    /** The channel's id, all 32 bits. */
    public int channel() {
        return channel;
    }

    /** The frame's id. */
    public long id() {
        return id;
    }

    /** The payload's bytes, 0 or more; at most what an entry takes if it is inline, else the slot must be asked. */
    public int length() {
        return length;
    }

    /** Whether the payload follows the header. */
    public boolean isInline() {
        return slot == EntryLayout.INLINE;
    }

    /** The index of the slot that has the payload, not compared with how many there are; or {@link EntryLayout#INLINE}. */
    public int slot() {
        return slot;
    }

    /** The slot's generation. */
    public int generation() {
        return generation;
    }

    @Override
    public String toString() {
        return "type=" + type + " flags=" + flags + " channel=" + Integer.toUnsignedString(channel) + " id="
                + Long.toUnsignedString(id) + " length=" + Integer.toUnsignedString(length) + " slot="
                + (isInline() ? "inline" : Integer.toUnsignedString(slot)) + " generation="
                + Integer.toUnsignedString(generation);
    }
}
