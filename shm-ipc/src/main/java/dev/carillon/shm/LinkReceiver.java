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
 * <p><b>Order:</b> a slot is held before the tail moves over its entry, and given back after that. Over inline frames the tail
 * moves once for all of them, after their handlers; the events come last.
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

    /** Entries of the poll under way that were read and that the sender does not have back yet. */
    private int read;

    /** Whether the poll under way has given slots back. */
    private boolean freed;

    /** The link was closed, perhaps by a handler of the poll under way, which ends then. */
    private boolean over;

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
        read = 0;
        freed = false;
        try {
            while (taken < count && !over) {
                int entry = ring.offset(read);
                header.load(bytes, entry, inlineBytes);
                taken++;
                if (header.isInline()) {
                    read++;
                    show(entry + EntryLayout.HEADER_BYTES, handler);
                } else {
                    showSlot(handler);
                }
            }
        } finally {
            if (taken > 0) {
                giveBack();
            }
        }
        return taken;
    }

    private void showSlot(FrameHandler handler) {
        int slot = header.slot();
        int generation = header.generation();
        int offset = slots.hold(slot, generation, header.length());
        read++;
        try {
            show(offset, handler);
        } finally {
            release(slot, generation);
        }
    }

    /** The tail moves first: an unread entry never names a slot that is free. */
    private void release(int slot, int generation) {
        try {
            ring.release(read);
            read = 0;
            slots.release(slot, generation);
            freed = true;
        } catch (ClosedException byTheHandler) {
            read = 0;
        }
    }

    private void giveBack() {
        try {
            ring.release(read);
            read = 0;
            events.space().signal();
            if (freed) {
                events.slots().signal();
            }
        } catch (ClosedException byTheHandler) {
            // It has closed the link, and there is nobody to give anything back to.
            read = 0;
        }
    }

    private void show(int offset, FrameHandler handler) {
        frame.set(header.type(), header.flags(), header.id(), offset, header.length());
        frames++;
        payload += header.length();
        handler.onFrame(frame);
    }

    /** A closed link that is kept by somebody does not keep its addresses. */
    void letGo() {
        over = true;
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
