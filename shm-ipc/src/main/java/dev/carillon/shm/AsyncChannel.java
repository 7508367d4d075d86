package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.shm.LinkStage.Done;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A channel that is waited for on the loop of its link, see {@link AsyncLink#openChannel}.
 *
 * <pre>{@code
 * AsyncChannel channel = link.onLoop(loop).openChannel();
 * channel.sendAsync(frame).thenAccept(result -> ...);
 * channel.onFrames(frame -> ...);
 * }</pre>
 *
 * <p>A wait ends with what it waits for, with the end of the channel, with a goodbye or the death of the peer, with a close of the
 * link or of its {@link AsyncLink}, and with the end of the loop. Cancelling it loses no frame, no slot and no credit.
 *
 * <p>All channels of the link are waited for on this loop; as {@link ShmChannel} says, the link is not polled while they receive.
 * While a send on one of them waits, no thread waits to send over the link, since both wait for the same entries and slots.
 *
 * <p><b>Threading:</b> any thread, as for {@link ShmChannel}: one at a time sends, and one receives. While a stage or a waiter waits,
 * the loop does. What is told comes on the loop thread.
 */
// r[impl shm.loop]
public final class AsyncChannel implements AutoCloseable {
    private final AsyncLink link;
    private final ShmChannel channel;
    private final ChannelInbox inbox;
    private final ChannelListening listening;
    private final LinkWaits waits;
    private final LinkStages stages;
    private final WaitPlaces.Place data = new WaitPlaces.Place();
    private final WaitPlaces.Place room = new WaitPlaces.Place();

    // The stages that are not done.
    private final AtomicReference<@Nullable LinkWaiter> receiving = new AtomicReference<>();
    private final AtomicReference<@Nullable LinkWaiter> sending = new AtomicReference<>();

    AsyncChannel(AsyncLink link, ShmChannel channel, ChannelListening listening, LinkWaits waits, LinkStages stages) {
        this.link = link;
        this.channel = channel;
        inbox = channel.inbox();
        this.listening = listening;
        this.waits = waits;
        this.stages = stages;
    }

    /** The link on its loop. */
    public AsyncLink link() {
        return link;
    }

    /** The channel: its number, state and credit, and what ends it. Its own waits are refused. */
    public ShmChannel channel() {
        return channel;
    }

    /** As {@link ShmChannel#trySend}. */
    public SendResult trySend(Frame frame) {
        waits.ensureUsable();
        return channel.trySend(frame);
    }

    /** The next frame of the channel, as a copy; null if there is none now. Never waits. */
    public @Nullable Frame tryReceive() {
        waits.ensureUsable();
        return listening.tryReceive(inbox);
    }

    /** Whether nothing more can be received: the channel or the link is over, and all was received. */
    public boolean hasEnded() {
        return listening.isDrained(inbox);
    }

    /** Whether so much can be sent, or how the channel has ended; null if it must be waited for. */
    public @Nullable CreditResult creditNow(long bytes) {
        channel.ensureInWindow(bytes);
        return listening.creditNow(inbox, bytes);
    }

    /**
     * The next frame, as a copy; null when nothing more comes, and all was received.
     *
     * <p>A cancel that returns true has received no frame. Fails with an IllegalStateException if another stage receives already
     * or the link has failed, with a {@link ClosedException} after a close of the link or the end of the loop.
     */
    public CompletableFuture<@Nullable Frame> receiveAsync() {
        return begun(receiving, waiter -> {
            do {
                Frame frame = tryReceive();
                if (frame != null || hasEnded()) {
                    return new Done<>(frame);
                }
            } while (awaitData(waiter));
            return null;
        });
    }

    /**
     * Sends a frame as soon as there are credit and room for it: SENT, TOO_LARGE, CHANNEL_CLOSED, CHANNEL_RESET or PEER_GONE.
     *
     * <p>A cancel that returns true has sent nothing and used no credit. Fails as {@link #receiveAsync}.
     *
     * @param frame its payload stays as it is until the stage is done
     */
    public CompletableFuture<SendResult> sendAsync(Frame frame) {
        Objects.requireNonNull(frame, "frame");
        return begun(sending, waiter -> {
            do {
                SendResult result = trySend(frame);
                if (!ChannelSending.isFull(result)) {
                    return new Done<>(result);
                }
            } while (awaitRoom(frame.length(), waiter));
            return null;
        });
    }

    /**
     * Waits until this side has so much credit: GRANTED, CLOSED, RESET or PEER_GONE. It uses none. Fails as {@link #receiveAsync}.
     *
     * @param bytes as for {@link ShmChannel#awaitCredit}
     */
    public CompletableFuture<CreditResult> awaitCreditAsync(long bytes) {
        channel.ensureInWindow(bytes);
        return begun(sending, waiter -> {
            do {
                CreditResult result = creditNow(bytes);
                if (result != null) {
                    return new Done<>(result);
                }
            } while (awaitCredit(bytes, waiter));
            return null;
        });
    }

    private <T extends @Nullable Object> CompletableFuture<T> begun(
            AtomicReference<@Nullable LinkWaiter> place, LinkStage.Attempt<T> attempt) {
        return stages.begun(place, this::forget, attempt);
    }

    /**
     * Calls a handler for each frame of the channel, on the loop thread, until nothing more comes: then the stage is done. As {@link
     * AsyncLink#onFrames}.
     */
    public CompletableFuture<@Nullable Void> onFrames(FrameHandler handler) {
        return stages.pumped(receiving, this::forget, new Frames(), handler);
    }

    /**
     * Waits for a frame, or the end of the channel, without a future.
     *
     * @return true if there may be one already: the waiter is not told. If false, the waiter is told of the next change, once, which
     *     may be another one
     * @throws IllegalStateException if another one waits already
     */
    public boolean awaitData(LinkWaiter waiter) {
        return waits.forChannel(data, waiter, () -> listening.dataOrListen(inbox));
    }

    /** As {@link #awaitData}, for credit and room for a frame of so many bytes. */
    public boolean awaitRoom(int length, LinkWaiter waiter) {
        return waits.forChannel(room, waiter, () -> listening.roomOrListen(inbox, length));
    }

    /** As {@link #awaitData}, for so much credit. */
    public boolean awaitCredit(long bytes, LinkWaiter waiter) {
        return waits.forChannel(room, waiter, () -> listening.creditOrListen(inbox, bytes));
    }

    /** Takes a waiter back that waits; nothing if it does not wait any more. */
    public void forget(LinkWaiter waiter) {
        data.forget(waiter);
        room.forget(waiter);
    }

    /** As {@link ShmChannel#close}: sends no more; what the peer sends can be received until it closes too. */
    @Override
    public void close() {
        channel.close();
    }

    @Override
    public String toString() {
        return "AsyncChannel[" + channel + ", " + link + "]";
    }

    private final class Frames implements FramePump.Source {
        @Override
        public int poll(FrameHandler handler, int limit) {
            return channel.poll(handler, limit);
        }

        @Override
        public boolean isDrained() {
            return hasEnded();
        }

        @Override
        public boolean await(LinkWaiter waiter) {
            return awaitData(waiter);
        }
    }
}
