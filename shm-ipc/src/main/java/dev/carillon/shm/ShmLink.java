package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.doorbell.Doorbell;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between a host and a guest: frames go both ways through memory that both have mapped.
 *
 * <pre>{@code
 * link.send(Frame.of(REQUEST, id, bytes), Duration.ofSeconds(1));
 * Frame reply = link.receive(Duration.ofSeconds(1));
 * }</pre>
 *
 * <p>Frames arrive in the order in which they were sent, each once. A frame that fits into an entry of the ring goes there,
 * a longer one into a slot. Where there is no room a send waits, or says so: it never drops a frame.
 *
 * <p><b>Threading:</b> one thread at a time sends or claims, which checked mode looks after, and one receives; they may be
 * two. {@link #sharedSender} is for many. {@link #close}, {@link #peerState}, {@link #stats}: any thread. What waits blocks, and is refused on loop threads in checked mode.
 *
 * <p><b>Death:</b> the first wait that sleeps has the peer watched, on the {@linkplain EventLoop#shared() shared loop} or that of
 * {@link #onLoop}, for three descriptors; where none is left, waits look every 20 ms instead. All waits end when the process of
 * the peer has ended, or when nobody has its end of the bell any more: such a peer could not be woken, so the link is over then
 * also where it still runs. What it had sent can be received, and {@link #peerState} is {@link PeerState#DEAD}. A guest in
 * another pid namespace is known by its bell alone.
 *
 * <p><b>Ownership:</b> the code that has it closes it, after its users have stopped.
 */
public final class ShmLink implements AutoCloseable {
    private final MemoryRegion region;
    private final Doorbell bell;
    private final LinkPages pages;
    private final LinkBuffer buffer;
    private final PeerWatch peer;
    private final LinkPeer other;
    private final LinkLife life;
    private final LinkSender sender;
    private final SendTurn turn;
    private final LinkReceiver receiver;
    private final LinkSending sending;
    private final LinkReceiving receiving;
    private final LinkClaims claims;
    private final LinkBatches batches;
    private final SharedSender shared;
    private final LinkChannels channels;

    ShmLink(LinkMemory memory, LinkMemory.Side side, Doorbell bell) {
        this.region = memory.region();
        this.bell = bell;
        pages = new LinkPages(region);
        buffer = new LinkBuffer(region.buffer(), pages);
        LinkEvents outgoing = memory.outgoing(side, bell::ring);
        LinkEvents incoming = memory.incoming(side, bell::ring);
        LinkStatus status = memory.status(side);
        LinkSleepers sleepers = new LinkSleepers(outgoing, incoming, pages);
        PeerProcess process = memory.peer(side, status);
        peer = new PeerWatch(bell, status, process, sleepers);
        other = new LinkPeer(status, peer, process);
        LinkWait waiting = new LinkWait(status, peer);
        life = new LinkLife(memory.header().identity().peerId(), status, peer, bell, pages, sleepers);
        sender = memory.sender(side, outgoing);
        ChannelTable table = memory.channels(side);
        ChannelDesk desk = memory.desk(side, table, incoming, bell::ring, peer::tell);
        receiver = memory.receiver(side, incoming, life, buffer, desk);
        receiving = new LinkReceiving(life, receiver, waiting, desk);
        SenderCheck check = new SenderCheck();
        turn = new SendTurn();
        LinkRoom room = new LinkRoom(life, sender, waiting, turn);
        sending = new LinkSending(life, sender, room, turn, check, bell);
        claims = new LinkClaims(life, sender, room, buffer, turn, check);
        ChannelWait channelWait = new ChannelWait(life, waiting);
        ChannelSending channelSending = new ChannelSending(life, sender, channelWait, table, turn, check);
        batches = new LinkBatches(life, sender, buffer, turn, check, channelSending::flushed);
        shared = new SharedSender(sending, batches, new LinkRoom(life, sender, waiting, turn), turn);
        channels = new LinkChannels(
                life,
                new ChannelReceiving(life, receiver, channelWait, table, desk),
                channelSending,
                channelWait,
                table,
                desk);
    }

    /** Which of the host's guests is, or is on, the other side: 1 to 255. */
    public int peerId() {
        return life.peerId();
    }

    /** Whether this end was not closed. */
    public boolean isOpen() {
        return life.isOpen();
    }

    /**
     * How far the other side has come. As long as no wait has slept, nothing watches the peer, and the bell is asked, which is a
     * system call.
     */
    public PeerState peerState() {
        return life.peerState();
    }

    /**
     * Why it has failed, as each call on it says: a {@link FaultyPeerException}, or the loss of the memory; null if it has not. Also
     * after its close.
     */
    public @Nullable RuntimeException failure() {
        return life.failure();
    }

    /** The most bytes that a frame of this side can have. */
    public int maxLength() {
        return sender.maxLength();
    }

    /**
     * Lets a loop wait for this link, one loop at a time; threads can wait for what the loop does not. See {@link AsyncLink}.
     *
     * @throws IllegalStateException if a loop does already
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     */
    public AsyncLink onLoop(EventLoop loop) {
        life.ensureUsable();
        return new AsyncLink(
                loop, sending, claims, receiving, new LinkListening(life, receiving, sender, turn), channels, peer);
    }

    /** Sends a frame if there is room for it now; never waits. */
    public SendResult trySend(Frame frame) {
        return sending.trySend(frame);
    }

    /**
     * Sends a frame, and waits until there is room for it.
     *
     * @param atMost how long; what is negative is none
     * @return SENT, TOO_LARGE or PEER_GONE; or, when the time is over, why there is no room: RING_FULL or NO_SLOT
     * @throws InterruptedException if the thread is interrupted while it waits; the frame is not sent then
     */
    public SendResult send(Frame frame, Duration atMost) throws InterruptedException {
        return sending.send(frame, atMost);
    }

    /** As {@link #trySend}, and rings the peer's bell, also where it does not sleep: for a peer that watches the bell. */
    public SendResult sendAndRing(Frame frame) {
        return sending.sendAndRing(frame);
    }

    /**
     * Sends a batch: its frames are written where the peer will read them, and published together. So many small frames cost
     * a fraction of what {@link #trySend} costs for each. Never waits.
     *
     * <pre>{@code
     * int sent = link.sendBatch(ticks.size(), (i, frame) -> {
     *     frame.begin(TICK, 0, i, 16);
     *     frame.putLong(0, ticks.get(i).price()).putLong(8, ticks.get(i).size());
     *     return true;
     * });
     * }</pre>
     *
     * @param most how many frames at most, 0 or more
     * @param writer writes each of them, and sends nothing else; what it throws comes out of here, after the frames before
     *     were sent
     * @return how many were sent: fewer than the most if the writer has ended the batch, or the ring was full; 0 also if the
     *     peer is gone, which {@link #peerState} tells
     */
    public int sendBatch(int most, BatchWriter writer) {
        return batches.send(most, writer);
    }

    /**
     * Claims room for a frame, to be written where the peer will read it; never waits. One claim at a time is open.
     *
     * @param length how many bytes; the frame may become shorter
     * @return null if there is no room now or never: {@link #claimRefusal} tells why
     * @throws IllegalStateException if the claim before is still open
     */
    public @Nullable SlotWriter tryClaim(int length) {
        return claims.tryClaim(length);
    }

    /**
     * As {@link #tryClaim}, and waits until there is room: an entry of the ring, and a slot if it needs one.
     *
     * @param atMost how long; what is negative is none
     * @return null if the time is over, or no wait can help: {@link #claimRefusal} tells which
     */
    public @Nullable SlotWriter awaitClaim(int length, Duration atMost) throws InterruptedException {
        return claims.awaitClaim(length, atMost);
    }

    /** Why the last claim was refused: RING_FULL, NO_SLOT, TOO_LARGE or PEER_GONE; null if it was granted. */
    public @Nullable SendResult claimRefusal() {
        return claims.refusal();
    }

    /** What many threads send with; the same each time. */
    public SharedSender sharedSender() {
        return shared;
    }

    /**
     * Hands out frames that are there; never waits.
     *
     * @param limit how many at most; 0 hands out none
     * @return how many; a frame that its handler throws at is consumed
     * @throws IllegalStateException in a handler, and mostly while another thread polls, which is wrong and not always noticed
     * @throws IllegalArgumentException if the limit is negative
     */
    public int poll(FrameHandler handler, int limit) {
        return receiving.poll(handler, limit);
    }

    /**
     * The next frame, as a copy.
     *
     * @param atMost how long to wait for one
     * @return null if none came, be it in time or because the peer is gone: {@link #peerState} tells
     */
    public @Nullable Frame receive(Duration atMost) throws InterruptedException {
        return receiving.receive(atMost);
    }

    /** Waits until a frame is there. False if the time is over, or the peer is gone and all its frames were received. */
    public boolean awaitData(Duration atMost) throws InterruptedException {
        return receiving.awaitData(atMost);
    }

    /** Waits until the ring has room for a frame, not for a slot. False if the time is over, or the peer is gone. */
    public boolean awaitSpace(Duration atMost) throws InterruptedException {
        return sending.awaitSpace(0, atMost);
    }

    /** As {@link #awaitSpace(Duration)}, until a frame of so many bytes, at most {@link #maxLength}, can be sent. */
    public boolean awaitSpace(int length, Duration atMost) throws InterruptedException {
        return sending.awaitSpace(length, atMost);
    }

    /**
     * Opens a channel: frames beside those of the link and of other channels, with a credit of their own. It returns at once;
     * the channel carries frames when the peer has accepted it.
     *
     * @throws IllegalStateException if all channels that this side can open are in use
     */
    public ShmChannel openChannel() {
        return channels.open();
    }

    /**
     * Accepts the next channel that the peer opens. It receives, as {@link ShmChannel#receive} does.
     *
     * @param atMost how long to wait for one
     * @return null if none came, be it in time or because the peer is gone: {@link #peerState} tells
     */
    public @Nullable ShmChannel acceptChannel(Duration atMost) throws InterruptedException {
        return channels.accept(atMost);
    }

    /** What has gone through it so far. */
    public LinkStats stats() {
        return new LinkStats(sender.frames(), sender.payload(), receiver.frames(), receiver.payload());
    }

    /**
     * Says goodbye and lets go of the memory. The peer can still receive what was sent before, and then finds this side
     * gone. All waits end. A second call does nothing.
     */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        try {
            life.sayGoodbye();
            receiving.awaitHandlers();
        } finally {
            peer.close();
            try {
                pages.unlessLost(claims::letGo);
                buffer.letGo();
                receiver.letGo();
                region.close();
            } finally {
                bell.close();
            }
        }
    }

    /** Whether sleepers are woken when the peer is gone; if not, they look now and then. */
    boolean isPeerWatched() {
        return peer.isConfirmed();
    }

    /** Whether a guest has attached, even if it has left. */
    boolean hasGuest() {
        return life.hasGuest();
    }

    /** The process on the other side. */
    LinkPeer peer() {
        return other;
    }

    /** No guest can attach from now on; one that is there stays. */
    void endReservation() {
        life.endReservation();
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
