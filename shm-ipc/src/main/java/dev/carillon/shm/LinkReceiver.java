package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.FrameRouter.Scope;
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
    private final int maxLength;
    private final Frame frame;
    private final FrameRouter router;
    private final EntryHeader header = new EntryHeader();

    /** A frame of a poll is in the hands of its handler, or about to be. */
    private volatile boolean polling;

    /** Who was the last in {@link #poll}. */
    private @Nullable Thread poller;

    /** The link was closed, perhaps by a handler of the poll under way, which ends then. */
    private boolean over;

    /** Whether the poll under way has met frames that are not plain. */
    private boolean routed;

    /** What the poll under way copies a frame with, if it does. */
    private @Nullable FrameCopy copy;

    // Statistics: the receiver writes them, any thread reads them.
    private long frames;
    private long payload;

    LinkReceiver(
            OrderedBytes bytes,
            RingReceiver ring,
            FrameReturns returns,
            LinkEvents events,
            int inlineBytes,
            int maxLength,
            Frame frame,
            FrameRouter router) {
        this.bytes = bytes;
        this.ring = ring;
        this.returns = returns;
        this.events = events;
        this.inlineBytes = inlineBytes;
        this.maxLength = maxLength;
        this.frame = frame;
        this.router = router;
    }

    /** Whether there is a frame for a program; control frames that come before it are taken. */
    boolean hasFrame() {
        if (ring.available(1) == 0) {
            return false;
        }
        if (isNextForProgram()) {
            return true;
        }
        poll(FrameRouter.NOBODY, Integer.MAX_VALUE, Scope.CONTROL);
        // What has come meanwhile may be control frames again.
        return ring.available(1) > 0 && isNextForProgram();
    }

    private boolean isNextForProgram() {
        header.load(bytes, ring.offset(0), inlineBytes);
        return header.type() < Frame.FIRST_CONTROL_TYPE;
    }

    /** Whether a thread is in {@link #poll}, be it this one. */
    boolean isPolling() {
        return polling;
    }

    /** Whether another thread is in {@link #poll}, so that the memory has to stay. */
    boolean isPollingElsewhere() {
        return polling && poller != Thread.currentThread();
    }

    /** Hands out so many frames at most; one that its handler throws at is consumed. */
    int poll(FrameHandler handler, int limit) {
        return poll(handler, limit, Scope.ALL);
    }

    /** As {@link #poll(FrameHandler, int)}, for some of the frames. Those that the router gives to others do not count. */
    int poll(FrameHandler handler, int limit, Scope scope) {
        if (polling) {
            throw new IllegalStateException(
                    "poll() while another one is under way: a handler returns before the next poll,"
                            + " and a link has one receiving thread at a time");
        }
        poller = Thread.currentThread();
        POLLING.setRelease(this, true);
        try {
            return pollNow(handler, limit, scope);
        } finally {
            POLLING.setRelease(this, false);
        }
    }

    private int pollNow(FrameHandler handler, int limit, Scope scope) {
        int count = ring.available(limit);
        int taken = 0;
        int shown = 0;
        try {
            while (shown < limit && taken < count && !over && EndingHandler.wantsMore(handler)) {
                int entry = returns.next();
                header.load(bytes, entry, inlineBytes);
                if (isBeyond(scope)) {
                    break;
                }
                taken++;
                FrameHandler target = isPlain() ? handler : routed(handler, scope);
                shown += target == handler ? 1 : 0;
                show(returns.show(entry, header), target);
            }
        } finally {
            if (taken > 0) {
                returns.end();
            }
            if (routed) {
                settle();
            }
        }
        return shown;
    }

    /** From here on a poll reserves memory there for each frame, before it takes it; null: it does not. */
    void reserveIn(@Nullable FrameCopy each) {
        copy = each;
    }

    private boolean isPlain() {
        return header.channel() == 0 && header.type() < Frame.FIRST_CONTROL_TYPE;
    }

    private boolean isBeyond(Scope scope) {
        if (copy != null && scope == Scope.ALL && header.type() < Frame.FIRST_CONTROL_TYPE) {
            // Where it fails, nothing of the frame was taken. A length that no slot has is found when the slot is held.
            copy.reserve(Math.min(header.length(), maxLength));
        }
        return scope != Scope.ALL
                && header.type() < Frame.FIRST_CONTROL_TYPE
                && (scope == Scope.CONTROL || header.channel() == 0);
    }

    private FrameHandler routed(FrameHandler handler, Scope scope) {
        routed = true;
        return router.route(header, handler, scope);
    }

    private void settle() {
        routed = false;
        try {
            router.settle();
        } catch (ClosedException byTheHandler) {
            // It has closed the link, and there is nobody to tell anything.
        }
    }

    private void show(int offset, FrameHandler handler) {
        frame.set(header.type(), header.flags(), header.channel(), header.id(), offset, header.length());
        if (handler != FrameRouter.NOBODY && header.type() < Frame.FIRST_CONTROL_TYPE) {
            frames++;
            payload += header.length();
        }
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
