package dev.carillon.shm;

import dev.carillon.futex.EventCount;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.channel.CreditPlace;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentHeader;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.shm.slot.SlotPlace;
import dev.carillon.shm.slot.SlotPool;
import dev.carillon.shm.slot.SlotRange;
import dev.carillon.shm.slot.SlotUser;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of a link, and how the halves of a side are made over it.
 *
 * @param region the memory, which the link closes
 * @param header what it is
 * @param generation of its slots when the sides are made
 */
record LinkMemory(MemoryRegion region, SegmentHeader header, int generation) {
    LinkMemory(MemoryRegion region, SegmentHeader header) {
        this(region, header, 0);
    }

    /** Fills new memory: counters, the link word, and the header last, since it is what a guest looks at first. */
    static LinkMemory create(MemoryRegion region, SegmentIdentity identity, SegmentLayout layout, long start) {
        return create(region, identity, layout, start, 1);
    }

    /**
     * As {@link #create(MemoryRegion, SegmentIdentity, SegmentLayout, long)}, for a peer whose id was used before.
     *
     * @param incarnation how often, with this time
     */
    static LinkMemory create(
            MemoryRegion region, SegmentIdentity identity, SegmentLayout layout, long start, int incarnation) {
        OrderedBytes bytes = region.bytes();
        ring(layout.toGuest()).begin(bytes, start);
        ring(layout.toHost()).begin(bytes, start);
        credit(layout.toGuest()).begin(bytes, start);
        credit(layout.toHost()).begin(bytes, start);
        bytes.putLong(SegmentLayout.LINK_WORD, LinkWord.reserved(incarnation));
        SegmentHeader header = new SegmentHeader(identity, layout, 0);
        header.writeTo(bytes);
        return new LinkMemory(region, header);
    }

    /**
     * Reads what somebody else has made.
     *
     * @throws SegmentFormatException if it is no segment of a link
     */
    static LinkMemory open(MemoryRegion region) {
        return new LinkMemory(
                region,
                SegmentFormatException.rethrown(() -> region.guarded(() -> SegmentHeader.readFrom(region.bytes()))));
    }

    /** The same after its slots were used so often; before a side is made of it. */
    LinkMemory withGeneration(int used) {
        slots(header.layout().toGuest()).begin(region.bytes(), used);
        slots(header.layout().toHost()).begin(region.bytes(), used);
        return new LinkMemory(region, header, used);
    }

    /** The process of the other side, whose number a host learns when its guest attaches. */
    PeerProcess peer(Side side, LinkStatus status) {
        SegmentIdentity identity = header.identity();
        return side == Side.HOST
                ? new PeerProcess(status::guestPid, 0)
                : new PeerProcess(identity::hostPid, identity.hostStartTime());
    }

    LinkStatus status(Side side) {
        LinkState goodbye = side == Side.HOST ? LinkState.GOODBYE_HOST : LinkState.GOODBYE_GUEST;
        return SegmentFormatException.rethrown(() ->
                region.canShrink() ? new FileLinkStatus(region, goodbye) : new LinkStatus(region.bytes(), goodbye));
    }

    /**
     * What is waited for in the direction to the peer.
     *
     * @param bell wakes a peer that listens for it instead of sleeping
     */
    LinkEvents outgoing(Side side, Runnable bell) {
        return LinkEvents.of(region, to(side), bell);
    }

    /** As {@link #outgoing}, in the direction from the peer. */
    LinkEvents incoming(Side side, Runnable bell) {
        return LinkEvents.of(region, from(side), bell);
    }

    /** The half that sends; the ring stands where it was made to begin. */
    LinkSender sender(Side side, LinkEvents events) {
        DirectionLayout at = to(side);
        OrderedBytes bytes = region.bytes();
        return new LinkSender(
                bytes,
                new RingSender(bytes, ring(at), bytes.getLongAcquire(at.tail())),
                new SlotPool(bytes, slots(at), generation),
                events,
                at.inlineBytes());
    }

    /** Its channels; their totals begin where the rings do. */
    ChannelTable channels(Side side) {
        OrderedBytes bytes = region.bytes();
        return new ChannelTable(
                side == Side.HOST,
                bytes,
                credit(to(side)),
                credit(from(side)),
                bytes.getLongAcquire(to(side).tail()),
                bytes.getLongAcquire(from(side).tail()));
    }

    /** The half that receives; the peer may have sent already. */
    LinkReceiver receiver(Side side, LinkEvents events, LinkLife life, LinkBuffer buffer, FrameRouter router) {
        DirectionLayout at = from(side);
        OrderedBytes bytes = region.bytes();
        RingReceiver ring = new RingReceiver(bytes, ring(at), bytes.getLongAcquire(at.tail()));
        FrameReturns returns = new FrameReturns(ring, new SlotUser(bytes, slots(at), generation), events, life, buffer);
        Frame frame = Frame.over(region.buffer(), returns);
        return new LinkReceiver(bytes, ring, returns, events, at.inlineBytes(), maxLength(at), frame, router);
    }

    /** The most bytes of a frame. */
    private static int maxLength(DirectionLayout at) {
        int longest = at.inlineBytes();
        for (var each : at.classes()) {
            longest = Math.max(longest, each.bytes());
        }
        return longest;
    }

    /** The direction in which a side sends. */
    private DirectionLayout to(Side side) {
        return side == Side.HOST ? header.layout().toGuest() : header.layout().toHost();
    }

    private DirectionLayout from(Side side) {
        return side == Side.HOST ? header.layout().toHost() : header.layout().toGuest();
    }

    private static RingPlace ring(DirectionLayout at) {
        return new RingPlace(at.head(), at.tail(), at.entries(), at.entryBytes(), at.ringEntries());
    }

    /**
     * Where frames of its channels come in.
     *
     * @param tell tells the loop of this side, if there is one, what a thread of it has changed
     */
    ChannelDesk desk(Side side, ChannelTable table, LinkEvents incoming, Runnable bell, Runnable tell) {
        CreditPlace sending = credit(to(side));
        CreditPlace receiving = credit(from(side));
        return new ChannelDesk(
                table,
                incoming.data(),
                index -> EventCount.at(region, sending.event(index), bell),
                index -> EventCount.at(region, receiving.event(index), bell),
                tell,
                maxLength(from(side)));
    }

    private static CreditPlace credit(DirectionLayout at) {
        return new CreditPlace(at.credits(), at.channels(), at.window());
    }

    private static SlotPlace slots(DirectionLayout at) {
        List<SlotRange> ranges = new ArrayList<>();
        int first = 0;
        for (var each : at.classes()) {
            ranges.add(new SlotRange(at.slotOffset(first), each.bytes(), each.count()));
            first += each.count();
        }
        return new SlotPlace(at.slotWords(), ranges);
    }

    /** Which end of a link. */
    enum Side {
        HOST,
        GUEST
    }
}
