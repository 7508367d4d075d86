package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.slot.SlotUser;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a link: takes frames out of the ring, and gives entries and slots back.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Order:</b> a slot is held before the tail moves over its entry; the tail moves after the handlers, once for all of
 * them, and the events come last.
 */
final class LinkReceiver {
    private static final VarHandle POLLING;

    static {
        try {
            POLLING = MethodHandles.lookup().findVarHandle(LinkReceiver.class, "polling", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OrderedBytes bytes;
    private final RingReceiver ring;
    private final SlotUser slots;
    private final LinkEvents events;
    private final int inlineBytes;
    private final Frame frame;
    private final EntryHeader header = new EntryHeader();

    /** A frame of a poll is in the hands of its handler, or about to be. */
    private volatile boolean polling;

    /** Who was the last in {@link #poll}. */
    private @Nullable Thread poller;

    // Statistics: the receiver writes them, any thread reads them.
    private long frames;
    private long payload;

    LinkReceiver(
            OrderedBytes bytes, RingReceiver ring, SlotUser slots, LinkEvents events, int inlineBytes, Frame frame) {
        this.bytes = bytes;
        this.ring = ring;
        this.slots = slots;
        this.events = events;
        this.inlineBytes = inlineBytes;
        this.frame = frame;
    }

    boolean hasFrame() {
        return ring.available(1) > 0;
    }

    /** Whether another thread is in {@link #poll}, so that the memory has to stay. */
    boolean isPollingElsewhere() {
        return polling && poller != Thread.currentThread();
    }

    /** Hands out so many frames at most; one that its handler throws at is consumed. */
    int poll(FrameHandler handler, int limit) {
        if (polling) {
            throw new IllegalStateException(
                    "poll() while another one is under way: a handler returns before the next poll,"
                            + " and a link has one receiving thread at a time");
        }
        poller = Thread.currentThread();
        POLLING.setRelease(this, true);
        try {
            return pollNow(handler, limit);
        } finally {
            POLLING.setRelease(this, false);
        }
    }

    private int pollNow(FrameHandler handler, int limit) {
        int count = Math.min(ring.available(limit), limit);
        int taken = 0;
        boolean freed = false;
        try {
            while (taken < count) {
                header.load(bytes, ring.offset(taken), inlineBytes);
                if (header.isInline()) {
                    taken++;
                    show(ring.offset(taken - 1) + EntryLayout.HEADER_BYTES, handler);
                } else {
                    int slot = header.slot();
                    int generation = header.generation();
                    int offset = slots.hold(slot, generation, header.length());
                    taken++;
                    freed = true;
                    try {
                        show(offset, handler);
                    } finally {
                        release(slot, generation);
                    }
                }
            }
        } finally {
            giveBack(taken, freed);
        }
        return taken;
    }

    private void release(int slot, int generation) {
        try {
            slots.release(slot, generation);
        } catch (ClosedException byTheHandler) {
            return;
        }
    }

    private void show(int offset, FrameHandler handler) {
        frame.set(header.type(), header.flags(), header.id(), offset, header.length());
        frames++;
        payload += header.length();
        handler.onFrame(frame);
    }

    private void giveBack(int taken, boolean freed) {
        try {
            if (taken > 0) {
                ring.release(taken);
                events.space().signal();
            }
            if (freed) {
                events.slots().signal();
            }
        } catch (ClosedException byTheHandler) {
            // It has closed the link, and there is nobody to give anything back to.
            return;
        }
    }

    /** A closed link that is kept by somebody does not keep its addresses. */
    void letGo() {
        frame.letGo();
    }

    LinkEvents events() {
        return events;
    }

    long frames() {
        return frames;
    }

    long payload() {
        return payload;
    }
}
