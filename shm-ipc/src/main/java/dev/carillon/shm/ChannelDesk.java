package dev.carillon.shm;

import dev.carillon.futex.EventCount;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.channel.ChannelViolation;
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
    private final AtomicReferenceArray<@Nullable ChannelInbox> inboxes;

    /** Of channels that are over, and whose index another channel has. */
    private final Queue<ChannelInbox> left = new ConcurrentLinkedQueue<>();

    private final AtomicInteger allKept = new AtomicInteger();
    private final FrameHandler keeper = this::keep;

    /** The channel of the frame before, of which something may be to grant. */
    private @Nullable ChannelInbox latest;

    /** Into which inbox the frame goes that is routed. */
    private @Nullable ChannelInbox keeping;

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
     */
    ChannelDesk(
            ChannelTable table, EventCount data, IntFunction<EventCount> credit, IntFunction<EventCount> peerCredit) {
        this.table = table;
        this.data = data;
        this.credit = credit;
        this.peerCredit = peerCredit;
        inboxes = new AtomicReferenceArray<>(table.channels());
    }

    /** Makes the inbox of a channel, before its first frame can come. */
    ChannelInbox inbox(ChannelEnd end) {
        int index = ChannelId.index(end.id());
        ChannelInbox inbox = new ChannelInbox(end, credit.apply(index), peerCredit.apply(index), allKept);
        ChannelInbox before = inboxes.getAndSet(index, inbox);
        left.removeIf(ChannelInbox::isEmpty);
        if (before != null && before.isLeftToAll()) {
            left.add(before);
        }
        return inbox;
    }

    @Override
    public FrameHandler route(EntryHeader header, FrameHandler handler, Scope scope) {
        if (header.type() >= Frame.FIRST_CONTROL_TYPE) {
            takeControl(header);
            return NOBODY;
        }
        ChannelEnd end = table.data(header.channel(), ChannelSending.costOf(header.length()));
        ChannelInbox inbox = inboxes.getAcquire(ChannelId.index(header.channel()));
        if (end.isReset() || inbox == null || inbox.end() != end) {
            return NOBODY;
        }
        if (scope == Scope.CHANNELS && inbox != direct) {
            keeping = inbox;
            forOthers = true;
            return keeper;
        }
        granting(inbox);
        inbox.consumed(header.length());
        return handler;
    }

    /** Of the frame before it is known now that it was read. */
    private void granting(ChannelInbox inbox) {
        ChannelInbox before = latest;
        if (before == inbox) {
            inbox.grantHalf();
        } else if (before != null) {
            before.grantAll();
        }
        latest = inbox;
    }

    private void keep(Frame frame) {
        if (keeping != null) {
            keeping.keep(frame);
        }
    }

    private void takeControl(EntryHeader header) {
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
            inbox.wakeSenders();
        }
    }

    @Override
    public void settle() {
        if (latest != null) {
            latest.grantAll();
            latest = null;
        }
        if (forOthers) {
            forOthers = false;
            data.signal();
        }
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

    /** Wakes all that wait for credit on either side, also on channels of which only the peer knows. */
    void wakeAll() {
        for (int index = 1; index < table.channels(); index++) {
            credit.apply(index).signal();
            peerCredit.apply(index).signal();
        }
    }
}
