package dev.carillon.shm;

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
 * <p><b>Threading:</b> one thread at a time sends, and one receives; they may be two. {@link #close}, {@link #peerState},
 * {@link #stats}: any thread. What waits blocks, and is refused on loop threads in checked mode.
 *
 * <p><b>Ownership:</b> the code that has it closes it, after its users have stopped.
 */
public final class ShmLink implements AutoCloseable {
    private final MemoryRegion region;
    private final Doorbell bell;
    private final LinkBuffer buffer;
    private final LinkLife life;
    private final LinkSender sender;
    private final LinkReceiver receiver;
    private final LinkSending sending;
    private final LinkReceiving receiving;
    private final LinkChannels channels;

    ShmLink(LinkMemory memory, LinkMemory.Side side, Doorbell bell) {
        this.region = memory.region();
        this.bell = bell;
        buffer = new LinkBuffer(region.buffer());
        LinkEvents outgoing = memory.outgoing(side, bell::ring);
        LinkEvents incoming = memory.incoming(side, bell::ring);
        LinkStatus status = memory.status(side);
        LinkWait waiting = new LinkWait(status);
        life = new LinkLife(memory.header().identity().peerId(), status, bell, outgoing, incoming);
        sender = memory.sender(side, outgoing);
        ChannelTable table = memory.channels(side);
        ChannelDesk desk = memory.desk(side, table, incoming, bell::ring);
        receiver = memory.receiver(side, incoming, life, buffer, desk);
        sending = new LinkSending(life, sender, waiting, bell);
        receiving = new LinkReceiving(life, receiver, waiting, desk);
        ChannelSending channelSending = new ChannelSending(life, sender, waiting, table);
        channels = new LinkChannels(life, receiver, waiting, table, desk, channelSending);
    }

    /** Which of the host's guests is, or is on, the other side: 1 to 255. */
    public int peerId() {
        return life.peerId();
    }

    /** Whether this end was not closed. */
    public boolean isOpen() {
        return life.isOpen();
    }

    /** How far the other side has come. */
    public PeerState peerState() {
        return life.peerState();
    }

    /** The most bytes that a frame of this side can have. */
    public int maxLength() {
        return sender.maxLength();
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
     * Hands out frames that are there; never waits.
     *
     * @param limit how many at most; 0 hands out none
     * @return how many; a frame that its handler throws at is consumed
     * @throws IllegalStateException in a handler, or while another thread polls
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

    /** Waits until the ring has room for a frame. False if the time is over, or the peer is gone. */
    public boolean awaitSpace(Duration atMost) throws InterruptedException {
        return sending.awaitSpace(atMost);
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
            try {
                buffer.letGo();
                receiver.letGo();
                region.close();
            } finally {
                bell.close();
            }
        }
    }

    /** Whether a guest has attached, even if it has left. */
    boolean hasGuest() {
        return life.hasGuest();
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
