package dev.carillon.shm;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.SendCredit;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.shm.slot.SlotPool;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a link: writes frames into the ring, long ones into slots.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Order:</b> slot claimed, bytes, slot in flight, entry, head, event: whatever happens in between, the receiver sees a
 * whole frame or none.
 */
// r[impl shm.recovery.kill-anywhere]
final class LinkSender {
    /** What {@link #claim} gives where no slot is free. */
    static final int NO_SLOT = EntryLayout.INLINE - 1;

    /** More entries than any ring has. */
    private static final int ALL = 1 << 24;

    private final OrderedBytes bytes;
    private final RingSender ring;
    private final SlotPool slots;
    private final LinkEvents events;
    private final int inlineBytes;
    private final int maxLength;

    /** Free entries that are spoken for: that of an open claim; all of them while a batch is written. */
    private int reserved;

    private boolean isClaimed;

    // Statistics: the sender writes them, any thread reads them.
    private long frames;
    private long payload;

    LinkSender(OrderedBytes bytes, RingSender ring, SlotPool slots, LinkEvents events, int inlineBytes) {
        this.bytes = bytes;
        this.ring = ring;
        this.slots = slots;
        this.events = events;
        this.inlineBytes = inlineBytes;
        maxLength = Math.max(inlineBytes, slots.maxLength());
    }

    /** Sends a plain frame if there is room for it now. */
    SendResult trySend(Frame frame) {
        return trySend(frame, 0, null, 0);
    }

    /** As {@link #trySend(Frame)}, on a channel whose credit covers the cost. */
    // r[impl shm.backpressure]
    SendResult trySend(Frame frame, ChannelEnd channel, long cost) {
        return trySend(frame, channel.id(), channel.sending(), cost);
    }

    // r[impl shm.heap]
    private SendResult trySend(Frame frame, int channel, @Nullable SendCredit credit, long cost) {
        int length = frame.length();
        // The ring first: a slot is not claimed for nothing.
        SendResult refusal = refusal(length);
        if (refusal != null) {
            return refusal;
        }
        int slot = claim(length);
        if (slot == NO_SLOT) {
            return SendResult.NO_SLOT;
        }
        int entry = ring.offset(0);
        if (slot == EntryLayout.INLINE) {
            frame.copyTo(bytes, entry + EntryLayout.HEADER_BYTES);
        } else {
            putIntoSlot(slot, frame);
        }
        put(entry, slot, frame.type(), frame.flags(), channel, frame.id(), length);
        if (credit != null) {
            // Before the peer can see it: to wake the peer needs memory of the heap, and may fail.
            credit.spend(cost);
        }
        publish(1, length);
        return SendResult.SENT;
    }

    /** Whether the ring has an entry for a control frame now: data leaves some of them, and an open claim has its own. */
    boolean hasEntryForControl() {
        return ring.freeForControl(1 + reserved) > reserved;
    }

    /** Sends a control frame, for which there is an entry. */
    // r[impl shm.slot.reserve]
    void sendControl(int type, long about) {
        EntryLayout.putInline(bytes, ring.offset(0), type, 0, 0, about, 0);
        ring.publish(1);
        events.data().signal();
    }

    private void putIntoSlot(int slot, Frame frame) {
        boolean written = false;
        try {
            frame.copyTo(bytes, slots.offset(slot));
            written = true;
        } finally {
            if (!written) {
                slots.abort(slot);
            }
        }
    }

    /** Why a frame of that length has no entry now; null if it has one. */
    @Nullable
    SendResult refusal(int length) {
        if (length > maxLength) {
            return SendResult.TOO_LARGE;
        }
        if (hasEntry()) {
            return null;
        }
        ensureNoBatch();
        return SendResult.RING_FULL;
    }

    /** Refuses a length that no frame of this side has. */
    void ensureFits(int length) {
        if (length < 0 || length > maxLength) {
            throw new IllegalArgumentException(
                    "length=" + length + ": a frame of this link has 0 to " + maxLength + " bytes");
        }
    }

    /** Whether the ring has an entry for a frame now. */
    boolean hasEntry() {
        return ring.freeForData(1 + reserved) > reserved;
    }

    /** Whether a slot of that length is free, or none is needed. */
    boolean hasSlot(int length) {
        return length <= inlineBytes || slots.hasFree(length);
    }

    /** What a batch has begun to write lies where a frame would be written that comes between. */
    void ensureNoBatch() {
        if (reserved >= ALL) {
            throw new IllegalStateException("a batch is being written: send when its writer has returned false,"
                    + " or write the frame into the batch");
        }
    }

    /** The slot for a frame of that length that {@link #take} takes: INLINE if it needs none, or NO_SLOT. */
    int peek(int length) {
        if (length <= inlineBytes) {
            return EntryLayout.INLINE;
        }
        int slot = slots.peek(length);
        return slot < 0 ? NO_SLOT : slot;
    }

    /** Takes what {@link #peek} has just returned. */
    void take(int peeked) {
        if (peeked != EntryLayout.INLINE) {
            slots.take(peeked);
        }
    }

    /** Takes a slot for a frame that has an entry: its number, INLINE if it needs none, or NO_SLOT. */
    int claim(int length) {
        if (length <= inlineBytes) {
            return EntryLayout.INLINE;
        }
        int slot = slots.claim(length);
        return slot < 0 ? NO_SLOT : slot;
    }

    /** Fills an entry whose payload is written; nobody sees it yet. */
    private void put(int entry, int slot, int type, int flags, int channel, long id, int length) {
        handOver(slot);
        putHeader(entry, slot, type, flags, channel, id, length);
    }

    /** The bytes of a slot are written, if there is one. */
    void handOver(int slot) {
        if (slot != EntryLayout.INLINE) {
            slots.send(slot);
        }
    }

    void putHeader(int entry, int slot, int type, int flags, int channel, long id, int length) {
        if (slot == EntryLayout.INLINE) {
            EntryLayout.putInline(bytes, entry, type, flags, channel, id, length);
        } else {
            EntryLayout.put(bytes, entry, type, flags, channel, id, length, slot, slots.generation(slot));
        }
    }

    // r[impl shm.doorbell.ring-integration]
    /** The event is the last step, and the only one that can fail for want of memory. */
    private void publish(int count, long length) {
        frames += count;
        payload += length;
        ring.publish(count);
        events.data().signal();
    }

    /** Keeps an entry for an open claim. */
    void reserve() {
        isClaimed = true;
        reserved = 1;
    }

    private void unreserve() {
        isClaimed = false;
        reserved = 0;
    }

    /** Sends what was written into an open claim; what is not in its slot is copied into the entry. */
    void commit(int slot, int type, int flags, long id, ByteBuffer written, int length) {
        unreserve();
        int entry = ring.offset(0);
        if (slot == EntryLayout.INLINE) {
            bytes.putBytes(entry + EntryLayout.HEADER_BYTES, written, 0, length);
        }
        put(entry, slot, type, flags, 0, id, length);
        publish(1, length);
    }

    /** Gives up an open claim. */
    void abort(int slot) {
        unreserve();
        abortSlot(slot);
    }

    void abortSlot(int slot) {
        if (slot != EntryLayout.INLINE) {
            slots.abort(slot);
        }
    }

    /** As {@link #abort}, by any thread, and nothing is sent any more. */
    void abandon(int slot) {
        if (slot != EntryLayout.INLINE) {
            slots.abandon(slot);
        }
    }

    /** A batch begins, if it has room for a frame; the frames of it, so many at most. */
    int beginBatch(int most) {
        ensureNoBatch();
        int wanted = Math.min(most, ALL);
        int room = Math.min(ring.freeForData(wanted + reserved) - reserved, wanted);
        if (room <= 0) {
            return 0;
        }
        reserved = ALL;
        return room;
    }

    /** The entry for a frame of a batch. */
    int entry(int index) {
        return ring.offset(index);
    }

    void endBatch(int count, long length) {
        reserved = isClaimed ? 1 : 0;
        if (count > 0) {
            publish(count, length);
        }
    }

    int slots() {
        return slots.slots();
    }

    int slotOffset(int slot) {
        return slots.offset(slot);
    }

    int slotBytes(int slot) {
        return slots.size(slot);
    }

    int inlineBytes() {
        return inlineBytes;
    }

    LinkEvents events() {
        return events;
    }

    int maxLength() {
        return maxLength;
    }

    long frames() {
        return frames;
    }

    long payload() {
        return payload;
    }
}
