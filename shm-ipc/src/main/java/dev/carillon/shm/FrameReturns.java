package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.slot.SlotUser;
import org.jspecify.annotations.Nullable;

/**
 * What a poll has read and the sender does not have back yet: entries of the ring, and the slot of the frame that a handler
 * has.
 *
 * <p><b>Threading:</b> the receiving thread's; what {@link #keep} gives: any thread.
 *
 * <p><b>Order:</b> a slot is held before the tail moves over its entry, and given back after that: an unread entry never names
 * a slot that is free. Over inline frames the tail moves once for all of them, after their handlers; the events come last.
 */
// r[impl shm.recovery.kill-anywhere]
final class FrameReturns {
    private final RingReceiver ring;
    private final SlotUser slots;
    private final LinkEvents events;
    private final LinkLife life;
    private final LinkBuffer buffer;

    /** Entries that were read. */
    private int read;

    /** Whether slots were given back. */
    private boolean freed;

    /** A handler has a frame. */
    private boolean showing;

    /** The slot of that frame, or {@link EntryLayout#INLINE}. */
    private int slot;

    private int generation;

    /** The handler keeps the slot. */
    private @Nullable FrameHold kept;

    FrameReturns(RingReceiver ring, SlotUser slots, LinkEvents events, LinkLife life, LinkBuffer buffer) {
        this.ring = ring;
        this.slots = slots;
        this.events = events;
        this.life = life;
        this.buffer = buffer;
    }

    /** Where the next entry lies. */
    int next() {
        return ring.offset(read);
    }

    /**
     * A handler gets the frame of the next entry.
     *
     * @param header the private copy of its header
     * @return where its payload begins
     */
    int show(int entry, EntryHeader header) {
        int offset = header.isInline()
                ? entry + EntryLayout.HEADER_BYTES
                : slots.hold(header.slot(), header.generation(), header.length());
        slot = header.slot();
        generation = header.generation();
        read++;
        showing = true;
        return offset;
    }

    /** The handler has returned, or thrown. */
    void shown() {
        boolean keeps = kept != null;
        kept = null;
        showing = false;
        if (slot == EntryLayout.INLINE || keeps) {
            return;
        }
        try {
            moveTail();
            slots.release(slot, generation);
            freed = true;
        } catch (ClosedException byTheHandler) {
            // It has closed the link, and there is nobody to give anything back to.
        }
    }

    /** The poll is over. */
    void end() {
        try {
            moveTail();
            events.space().signal();
            if (freed) {
                events.slots().signal();
            }
        } catch (ClosedException byTheHandler) {
            // As above.
        } finally {
            freed = false;
        }
    }

    private void moveTail() {
        int count = read;
        read = 0;
        ring.release(count);
    }

    // r[impl shm.retain]
    /**
     * The handler keeps the slot of its frame.
     *
     * @return null if the frame has none
     * @throws IllegalStateException if no handler has a frame
     */
    @Nullable
    FrameHold keep() {
        if (!showing) {
            throw new IllegalStateException("this frame was its handler's, which has returned; retain() it there");
        }
        if (slot == EntryLayout.INLINE) {
            return null;
        }
        FrameHold mine = kept;
        if (mine != null) {
            mine.add();
            return mine;
        }
        moveTail();
        int held = slot;
        int heldIn = generation;
        FrameHold first = new FrameHold(buffer::get, () -> release(held, heldIn));
        kept = first;
        return first;
    }

    /** By any thread. */
    private void release(int held, int heldIn) {
        try {
            slots.release(held, heldIn);
            events.slots().signal();
            life.ensureThere();
        } catch (ClosedException over) {
            // The link is closed, and its slots with it.
        } catch (PeerViolation | RegionTruncatedException | InternalError faulty) {
            // Memory that is closed just now reads as zeros.
            if (life.isOpen()) {
                throw life.failed(faulty);
            }
        }
    }
}
