package dev.carillon.shm;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.shm.slot.SlotPool;

/**
 * The sending half of a link: writes frames into the ring, long ones into slots.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Order:</b> slot claimed, bytes, slot in flight, entry, head, event: whatever happens in between, the receiver sees a
 * whole frame or none.
 */
final class LinkSender {
    private final OrderedBytes bytes;
    private final RingSender ring;
    private final SlotPool slots;
    private final LinkEvents events;
    private final int inlineBytes;
    private final int maxLength;

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
        return trySend(frame, 0);
    }

    /** As {@link #trySend(Frame)}, on a channel whose credit covers it. */
    // r[impl shm.backpressure]
    SendResult trySend(Frame frame, int channel) {
        int length = frame.length();
        if (length > maxLength) {
            return SendResult.TOO_LARGE;
        }
        // The ring first: a slot is not claimed for nothing.
        if (ring.freeForData(1) < 1) {
            return SendResult.RING_FULL;
        }
        int entry = ring.offset(0);
        if (length <= inlineBytes) {
            frame.copyTo(bytes, entry + EntryLayout.HEADER_BYTES);
            EntryLayout.putInline(bytes, entry, frame.type(), frame.flags(), channel, frame.id(), length);
        } else {
            int slot = slots.claim(length);
            if (slot < 0) {
                return SendResult.NO_SLOT;
            }
            putIntoSlot(slot, frame);
            int generation = slots.generation(slot);
            EntryLayout.put(bytes, entry, frame.type(), frame.flags(), channel, frame.id(), length, slot, generation);
        }
        publish(1, length);
        return SendResult.SENT;
    }

    /** Whether the ring has an entry for a control frame now: data leaves some of them. */
    boolean hasEntryForControl() {
        return ring.freeForControl() > 0;
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
        slots.send(slot);
    }

    private void publish(int count, long length) {
        ring.publish(count);
        frames += count;
        payload += length;
        events.data().signal();
    }

    /** Whether the ring has an entry for a frame now. */
    boolean hasEntry() {
        return ring.freeForData(1) > 0;
    }

    /** Whether a slot of that length is free, or none is needed. */
    boolean hasSlot(int length) {
        return length <= inlineBytes || slots.hasFree(length);
    }

    LinkEvents events() {
        return events;
    }

    int maxLength() {
        return maxLength;
    }

    int unread() {
        return ring.unread();
    }

    long frames() {
        return frames;
    }

    long payload() {
        return payload;
    }
}
