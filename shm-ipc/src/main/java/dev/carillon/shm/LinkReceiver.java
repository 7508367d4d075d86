package dev.carillon.shm;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.RingReceiver;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a link: takes frames out of the ring, and has entries and slots given back.
 *
 * <p><b>Threading:</b> one thread at a time.
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
    private final FrameReturns returns;
    private final LinkEvents events;
    private final int inlineBytes;
    private final Frame frame;
    private final EntryHeader header = new EntryHeader();

    /** A frame of a poll is in the hands of its handler, or about to be. */
    private volatile boolean polling;

    /** Who was the last in {@link #poll}. */
    private @Nullable Thread poller;

    /** The link was closed, perhaps by a handler of the poll under way, which ends then. */
    private boolean over;

    // Statistics: the receiver writes them, any thread reads them.
    private long frames;
    private long payload;

    LinkReceiver(
            OrderedBytes bytes,
            RingReceiver ring,
            FrameReturns returns,
            LinkEvents events,
            int inlineBytes,
            Frame frame) {
        this.bytes = bytes;
        this.ring = ring;
        this.returns = returns;
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
        try {
            while (taken < count && !over) {
                int entry = returns.next();
                header.load(bytes, entry, inlineBytes);
                taken++;
                show(returns.show(entry, header), handler);
            }
        } finally {
            if (taken > 0) {
                returns.end();
            }
        }
        return taken;
    }

    private void show(int offset, FrameHandler handler) {
        frame.set(header.type(), header.flags(), header.id(), offset, header.length());
        frames++;
        payload += header.length();
        try {
            handler.onFrame(frame);
        } finally {
            returns.shown();
        }
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
