package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.FrameCost;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One of several streams of frames on a link, each with a credit of its own: who does not receive on one holds up no other.
 *
 * <p>A sender uses credit, and the other side grants it anew for what was received: half a window at a time, and all where
 * nothing is left to receive. A frame costs its bytes and 32, see {@link #cost}.
 *
 * <p>Either all frames of a link are received with {@link ShmLink#poll}, which tells the channel with {@link Frame#channel};
 * or each channel receives by itself. Who finds other channels' frames meanwhile copies them to where those find them; the
 * windows bound how much that can be. A plain frame of the link holds up what comes after it until the link is polled.
 *
 * <p><b>Threading:</b> one thread at a time sends, and one receives; they may be two, and other ones on other receiving. While
 * more than one of them sends, no plain frames are sent on the link but by {@link ShmLink#sharedSender}, and while they
 * receive, the link is not polled. {@link #close}, {@link #reset}, {@link #state}: any thread. What waits blocks, and is
 * refused on loop threads in checked mode.
 */
// r[impl shm.channel]
public final class ShmChannel implements AutoCloseable {
    private final ChannelInbox inbox;
    private final ChannelEnd end;
    private final ChannelSending sending;
    private final ChannelReceiving receiving;

    ShmChannel(ChannelInbox inbox, ChannelSending sending, ChannelReceiving receiving) {
        this.inbox = inbox;
        this.end = inbox.end();
        this.sending = sending;
        this.receiving = receiving;
    }

    /** The credit that a frame of so many bytes needs: 32 more. */
    public static long cost(int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length=" + length + ": 0 or more bytes");
        }
        return FrameCost.of(length);
    }

    /** Its number, the same on both sides, and other than that of each channel before it that is not long gone. */
    public int id() {
        return end.id();
    }

    /** How far it is. */
    public ChannelState state() {
        if (end.isReset()) {
            return ChannelState.RESET;
        }
        return switch (end.phase()) {
            case OPENING -> ChannelState.OPENING;
            case OPEN -> ChannelState.OPEN;
            case HALF_CLOSED -> ChannelState.HALF_CLOSED;
            case FREE -> ChannelState.CLOSED;
        };
    }

    /** The credit that this side has now; the thread that sends asks. */
    public long credit() {
        return sending.credit(end);
    }

    /** Sends a frame if there are credit and room for it now; never waits. */
    public SendResult trySend(Frame frame) {
        return sending.trySend(end, frame);
    }

    /**
     * Sends a frame, and waits until there are credit and room for it.
     *
     * @return as {@link #trySend} says; RING_FULL, NO_SLOT and NO_CREDIT when the time is over
     * @throws InterruptedException if the thread is interrupted while it waits; the frame is not sent then
     */
    public SendResult send(Frame frame, Duration atMost) throws InterruptedException {
        return sending.send(end, inbox.credit(), frame, atMost);
    }

    /**
     * Waits until this side has so much credit.
     *
     * @param bytes such as the {@link #cost} of a frame, at most the window
     * @throws IllegalArgumentException if there is never so much
     */
    public CreditResult awaitCredit(long bytes, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmChannel.awaitCredit");
        ensureInWindow(bytes);
        return sending.await(end, inbox.credit(), bytes, Deadlines.after(System.nanoTime(), atMost));
    }

    void ensureInWindow(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes=" + bytes + ": 0 or more");
        }
        if (bytes > end.sending().window()) {
            throw new IllegalArgumentException("bytes=" + bytes + ": the window of the channel is "
                    + end.sending().window() + "; wait for less, or give the link a larger one with LinkConfig.window");
        }
    }

    ChannelInbox inbox() {
        return inbox;
    }

    /**
     * The next frame of this channel, as a copy.
     *
     * @return null if none came, be it in time, or because nothing comes any more: {@link #hasEnded} tells
     */
    public @Nullable Frame receive(Duration atMost) throws InterruptedException {
        return receiving.receive(inbox, atMost);
    }

    /**
     * Hands out frames of this channel that are there, so many at most; never waits.
     *
     * @return how many; a frame that its handler throws at is consumed
     * @throws IllegalStateException in a handler
     */
    public int poll(FrameHandler handler, int limit) {
        return receiving.poll(inbox, Objects.requireNonNull(handler, "handler"), limit);
    }

    /**
     * Whether nothing more can be received: the peer has closed it or is gone, and all was received; or one side has reset it, or
     * this side has closed the link. The thread that receives asks, or its handler.
     */
    public boolean hasEnded() {
        return receiving.hasEnded(inbox);
    }

    /** Whether what was received is granted anew by itself, as it is at first; if not, {@link #grant} does. */
    public void grantsItself(boolean does) {
        inbox.grantsItself(does);
    }

    /**
     * Grants the peer so much anew; for a channel that does not do so by itself.
     *
     * @param bytes at most the {@link #cost} of all frames that were received and not granted anew
     */
    public void grant(long bytes) {
        receiving.ensureUsable();
        inbox.grant(bytes);
    }

    /** Sends no more; what was sent before is received. What the peer sends comes until it closes too. */
    @Override
    public void close() {
        finish(false);
    }

    /** Sends and receives no more, on either side; what was not received is dropped. */
    public void reset() {
        finish(true);
    }

    private void finish(boolean resets) {
        try {
            sending.end(table -> {
                if (resets ? table.reset(end) : table.close(end)) {
                    inbox.wakeSenders();
                }
            });
        } catch (ClosedException over) {
            // The link has gone, and everybody was woken.
            return;
        }
        if (resets) {
            inbox.discard();
            receiving.wakeReceivers();
        }
    }

    @Override
    public String toString() {
        return "ShmChannel[" + end + "]";
    }
}
