package dev.carillon.shm;

import dev.carillon.futex.EventCount;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.channel.ChannelViolation;
import dev.carillon.shm.channel.FrameCost;
import dev.carillon.shm.ring.EntryHeader;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives what comes out of the ring to the channels: to the one who polls, or into the inbox of its channel.
 *
 * <p><b>Threading:</b> {@link #inbox} and {@link #wakeAll}: any thread; the rest: the thread that receives on the link.
 */
final class ChannelDesk implements FrameRouter {
    private final ChannelTable table;
    private final EventCount data;
    private final IntFunction<EventCount> credit;
    private final IntFunction<EventCount> peerCredit;
    private final Runnable tell;
    private final int maxLength;
    private final AtomicReferenceArray<@Nullable ChannelInbox> inboxes;

    /** The highest index of a channel that there was. */
    private final AtomicInteger highest = new AtomicInteger();

    /** Of channels that are over, and whose index another channel has. */
    private final Queue<ChannelInbox> left = new ConcurrentLinkedQueue<>();

    private final AtomicInteger allKept = new AtomicInteger();
    private final FrameHandler keeper = this::keep;
    private final FrameHandler waker = control -> wake();

    /** The channel of the frame before, of which something may be to grant. */
    private @Nullable ChannelInbox latest;

    /** Whose senders are woken by the control frame that is routed. */
    private @Nullable ChannelInbox waking;

    /** Into which inbox the frame goes that is routed. */
    private @Nullable ChannelInbox keeping;

    /** What the frame that is routed is copied into. */
    private KeptFrames.@Nullable Kept room;

    /** Whose frames the one who polls gets, if it does not get those of all. */
    private @Nullable ChannelInbox direct;

    /** Something has come that another thread of this side may wait for. */
    private boolean forOthers;

    /**
     * A desk without channels.
     *
     * @param data where this side waits for frames
     * @param credit the event count on which this side waits for credit, by the index of the channel
     * @param peerCredit that of the peer
     * @param tell tells the loop of this side, if there is one, what a thread of it has changed
     * @param maxLength the most bytes of a frame that comes
     */
    ChannelDesk(
            ChannelTable table,
            EventCount data,
            IntFunction<EventCount> credit,
            IntFunction<EventCount> peerCredit,
            Runnable tell,
            int maxLength) {
        this.table = table;
        this.data = data;
        this.credit = credit;
        this.peerCredit = peerCredit;
        this.tell = tell;
        this.maxLength = maxLength;
        inboxes = new AtomicReferenceArray<>(table.channels());
    }

    /** Makes the inbox of a channel, before its first frame can come. */
    ChannelInbox inbox(ChannelEnd end) {
        int index = ChannelId.index(end.id());
        ChannelInbox inbox = new ChannelInbox(end, credit.apply(index), peerCredit.apply(index), allKept, tell);
        ChannelInbox before = inboxes.getAndSet(index, inbox);
        highest.accumulateAndGet(index, Math::max);
        left.removeIf(ChannelInbox::isEmpty);
        if (before != null && before.isLeftToAll()) {
            left.add(before);
        }
        return inbox;
    }

    @Override
    public FrameHandler route(EntryHeader header, FrameHandler handler, Scope scope) {
        if (header.type() >= Frame.FIRST_CONTROL_TYPE) {
            return takeControl(header);
        }
        // First what needs memory of the heap: where it fails, this frame comes again.
        grantBefore(header.channel());
        reserve(header, scope);
        ChannelEnd end = table.data(header.channel(), FrameCost.of(header.length()));
        ChannelInbox inbox = inboxes.getAcquire(ChannelId.index(header.channel()));
        if (end.isReset() || inbox == null || inbox.end() != end) {
            return NOBODY;
        }
        if (scope == Scope.CHANNELS && inbox != direct) {
            keeping = inbox;
            forOthers = true;
            return keeper;
        }
        latest = inbox;
        inbox.consumed(header.length());
        return handler;
    }

    // r[impl shm.heap]
    private void reserve(EntryHeader header, Scope scope) {
        room = null;
        ChannelInbox own = direct;
        if (scope == Scope.CHANNELS && (own == null || own.end().id() != header.channel())) {
            // A length that no slot has is found when the slot is held.
            room = new KeptFrames.Kept(Frame.room(Math.min(header.length(), maxLength)));
        }
    }

    /** Of the frame before it is known now that it was read. */
    private void grantBefore(int channel) {
        ChannelInbox before = latest;
        if (before != null && before.end().id() == channel) {
            before.grantHalf();
        } else if (before != null) {
            before.grantAll();
            latest = null;
        }
    }

    private void keep(Frame frame) {
        KeptFrames.Kept copy = room;
        room = null;
        if (keeping != null && copy != null) {
            frame.copyInto(copy.frame());
            keeping.keep(copy);
        }
    }

    private FrameHandler takeControl(EntryHeader header) {
        boolean isBare = header.isInline() && header.length() == 0 && header.flags() == 0 && header.channel() == 0;
        if (!isBare) {
            throw new ChannelViolation("a control frame has no flags, channel and payload: " + header);
        }
        ChannelEnd end = table.control(header.type(), header.id());
        forOthers = true;
        ChannelInbox inbox = end == null ? null : inboxes.getAcquire(ChannelId.index(end.id()));
        if (inbox != null && inbox.end() == end) {
            if (end.isReset()) {
                inbox.discard();
            }
            waking = inbox;
            return waker;
        }
        return NOBODY;
    }

    /** When the entry is taken: to wake needs memory of the heap, and where it fails the frame must not come again. */
    // r[impl shm.heap]
    private void wake() {
        if (waking != null) {
            waking.wakeSenders();
        }
    }

    @Override
    public void settle() {
        if (latest != null) {
            latest.grantAll();
            latest = null;
        }
        if (forOthers) {
            wakeReceivers();
            // Where the heap was full they are woken the next time.
            forOthers = false;
        }
    }

    /** Something has changed that others of this side may wait for, be it threads or the loop. */
    void wakeReceivers() {
        data.signal();
        tell.run();
    }

    /** From here on polls of channels give the frames of that one to who polls; null: of none. */
    void direct(@Nullable ChannelInbox inbox) {
        direct = inbox;
    }

    /** Whether frames wait that a poll of all takes first. */
    boolean hasKept() {
        return allKept.get() > 0;
    }

    /** Hands out frames that were kept, so many at most. */
    int drain(FrameHandler handler, int limit) {
        int shown = 0;
        for (ChannelInbox inbox : left) {
            shown += inbox.drain(handler, limit - shown);
        }
        for (int index = 1; index < inboxes.length() && shown < limit; index++) {
            ChannelInbox inbox = inboxes.getAcquire(index);
            shown += inbox == null ? 0 : inbox.drain(handler, limit - shown);
        }
        return shown;
    }

    /**
     * Wakes all that wait for credit on either side, also on channels of which only the peer knows; and those of this side whom
     * a peer had begun to wake when it died.
     */
    void wakeAll() {
        for (int index = 1; index < table.channels(); index++) {
            if (table.latest(index) != null) {
                credit.apply(index).recover();
            }
            peerCredit.apply(index).signal();
        }
    }

    /** Wakes those of this side who wait for credit, and whom the peer could not wake. */
    void wakeSignalled() {
        int last = highest.get();
        for (int index = 1; index <= last; index++) {
            ChannelInbox inbox = inboxes.getAcquire(index);
            if (inbox != null) {
                inbox.credit().wakeSignalled();
            }
        }
    }
}
