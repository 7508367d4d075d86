package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.channel.CreditPlace;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellEvent;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** A link whose host's side is made of its parts: a test sees what is there at each look of a wait, and at each ring. */
final class OpenedLink implements AutoCloseable {
    private static final int LISTENING = 2;

    private final SegmentLayout layout = BareLink.SMALL.layout();
    final DoorbellPair bells = Doorbell.pair();
    private final MemoryRegion region = MemoryRegion.memfd("opened", layout.total());
    private final List<Long> rings = new ArrayList<>();

    /** Runs when a wait of the host looks whether the link is over, which it does after each look for what it waits for. */
    Runnable atEachLook = () -> {};

    private LongSupplier atEachRing = () -> 0;
    final LinkLife life;
    final PeerWatch peer;
    final LinkWait waiting;
    final LinkEvents outgoing;
    final LinkSending sending;
    final LinkReceiving receiving;
    final LinkListening listening;
    final LinkChannels channels;
    private final LinkClaims claims;
    final ShmLink guest;

    OpenedLink() {
        int pid = (int) ProcessHandle.current().pid();
        MemoryRegion guests = MemoryRegion.ofDescriptor(region.fd(), Access.READ_WRITE);
        LinkMemory memory = LinkMemory.create(region, new SegmentIdentity(1, 2, pid, 0, 1), layout, 0);
        LinkMemory opened = LinkMemory.open(guests);
        guest = new ShmLink(opened, Side.GUEST, bells.guest());
        opened.status(Side.GUEST).attach(pid);

        LinkStatus status = new LinkStatus(region.bytes(), LinkState.GOODBYE_HOST) {
            @Override
            boolean isOpen() {
                atEachLook.run();
                return super.isOpen();
            }
        };
        outgoing = memory.outgoing(Side.HOST, this::rings);
        LinkEvents incoming = memory.incoming(Side.HOST, this::rings);
        LinkSleepers sleepers = new LinkSleepers(outgoing, incoming, new LinkPages(region));
        peer = new PeerWatch(bells.host(), status, memory.peer(Side.HOST, status), sleepers);
        waiting = new LinkWait(status, peer);
        life = new LinkLife(1, status, peer, bells.host(), new LinkPages(region), sleepers);
        LinkSender sender = memory.sender(Side.HOST, outgoing);
        ChannelTable table = memory.channels(Side.HOST);
        ChannelDesk desk = memory.desk(Side.HOST, table, incoming, this::rings, peer::tell);
        LinkBuffer buffer = new LinkBuffer(region.buffer(), new LinkPages(region));
        LinkReceiver receiver = memory.receiver(Side.HOST, incoming, life, buffer, desk);
        receiving = new LinkReceiving(life, receiver, waiting, desk);
        SenderCheck check = new SenderCheck();
        SendTurn turn = new SendTurn();
        LinkRoom room = new LinkRoom(life, sender, waiting, turn);
        sending = new LinkSending(life, sender, room, turn, check, bells.host());
        claims = new LinkClaims(life, sender, room, buffer, turn, check);
        listening = new LinkListening(life, receiving, sender, turn);
        ChannelWait channelWait = new ChannelWait(life, waiting);
        channels = new LinkChannels(
                life,
                new ChannelReceiving(life, receiver, channelWait, table, desk),
                new ChannelSending(life, sender, channelWait, table, turn, check),
                channelWait,
                table,
                desk);
    }

    AsyncLink onLoop(EventLoop loop) {
        return new AsyncLink(loop, sending, claims, receiving, listening, channels, peer);
    }

    private void rings() {
        rings.add(atEachRing.getAsLong());
    }

    /** The guest listens on that event: what is there when it is rung for is {@link #seen}. */
    void listenFor(int event, LongSupplier what) {
        rings.clear();
        atEachRing = what;
        region.bytes().putIntVolatile(event + Integer.BYTES, LISTENING);
    }

    /** What was there at each ring. */
    List<Long> seen() {
        return List.copyOf(rings);
    }

    void drainBell() {
        while (bells.host().poll() == DoorbellEvent.RUNG) {
            Thread.onSpinWait();
        }
    }

    int sleepWord(int event) {
        return region.bytes().getIntVolatile(event + Integer.BYTES);
    }

    long word(int offset) {
        return region.bytes().getLongVolatile(offset);
    }

    DirectionLayout toGuest() {
        return layout.toGuest();
    }

    DirectionLayout toHost() {
        return layout.toHost();
    }

    /** The word of the one slot of the larger class. */
    int largeSlot(DirectionLayout at) {
        return at.slotWords() + 2 * 64;
    }

    int creditEvent(DirectionLayout at, int index) {
        return new CreditPlace(at.credits(), at.channels(), at.window()).event(index);
    }

    long granted(int creditEvent) {
        return word(creditEvent - Long.BYTES);
    }

    int taken(int creditEvent) {
        return region.bytes().getIntVolatile(creditEvent + Long.BYTES);
    }

    int reset(int creditEvent) {
        return region.bytes().getIntVolatile(creditEvent + Long.BYTES + Integer.BYTES);
    }

    @Override
    public void close() {
        guest.close();
        peer.close();
        region.close();
        bells.close();
    }
}
