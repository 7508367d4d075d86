package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkStage.Done;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A link that is waited for on a loop instead of by threads, see {@link ShmLink#onLoop}.
 *
 * <pre>{@code
 * AsyncLink async = link.onLoop(loop);
 * async.receiveAsync().thenAccept(frame -> ...);
 * async.onFrames(frame -> ...);
 * }</pre>
 *
 * <p>A wait ends with what it waits for, with a goodbye or the death of the peer, with a close of the link or of this object, and
 * with the end of the loop. Cancelling it loses no frame: what was not received is received by the next one.
 *
 * <p>Threads may wait on the same link for other things: this side's frames come by the loop, and a thread waits for room.
 *
 * <p><b>Threading:</b> any thread, as for the link itself: one at a time sends, and one receives. While a stage or a waiter
 * waits, the loop does. What is told comes on the loop thread.
 *
 * <p><b>Ownership:</b> the code that has it closes it, which leaves the link as it is. Closing the link, or the end of the loop,
 * closes it too.
 */
// r[impl shm.loop]
public final class AsyncLink implements AutoCloseable {
    private final EventLoop loop;
    private final LinkSending sends;
    private final LinkClaims claims;
    private final LinkReceiving receives;
    private final LinkListening listening;
    private final LinkChannels channels;
    private final LinkWaits waits;
    private final LinkStages stages;
    private final WaitPlaces.Place asked = new WaitPlaces.Place();

    // The stages that are not done.
    private final AtomicReference<@Nullable LinkWaiter> receiving = new AtomicReference<>();
    private final AtomicReference<@Nullable LinkWaiter> sending = new AtomicReference<>();
    private final AtomicReference<@Nullable LinkWaiter> accepting = new AtomicReference<>();

    AsyncLink(
            EventLoop loop,
            LinkSending sends,
            LinkClaims claims,
            LinkReceiving receives,
            LinkListening listening,
            LinkChannels channels,
            PeerWatch peer) {
        this.loop = loop;
        this.sends = sends;
        this.claims = claims;
        this.receives = receives;
        this.listening = listening;
        this.channels = channels;
        waits = new LinkWaits(loop, peer, receives.half(), sends.half(), this::refuseStages);
        stages = new LinkStages(loop, waits);
        waits.begin();
    }

    /** The loop on which it lives. */
    public EventLoop loop() {
        return loop;
    }

    /** As {@link ShmLink#trySend}. */
    public SendResult trySend(Frame frame) {
        waits.ensureUsable();
        return sends.trySend(frame);
    }

    /** As {@link ShmLink#tryClaim}. */
    public @Nullable SlotWriter tryClaim(int length) {
        waits.ensureUsable();
        return claims.tryClaim(length);
    }

    /** As {@link ShmLink#claimRefusal}. */
    public @Nullable SendResult claimRefusal() {
        return claims.refusal();
    }

    /** The next frame, as a copy; null if there is none now. Never waits. */
    public @Nullable Frame tryReceive() {
        waits.ensureUsable();
        return receives.tryReceive();
    }

    /** Whether a frame is there now. */
    public boolean hasFrame() {
        return listening.hasFrame();
    }

    /** Whether the ring has room for a frame now; one that needs a slot may find none. */
    public boolean hasSpace() {
        return listening.hasEntry();
    }

    /**
     * Whether a frame of so many bytes can be sent now.
     *
     * @throws IllegalArgumentException if it is longer than {@link ShmLink#maxLength}
     */
    public boolean hasSpace(int length) {
        return listening.hasRoom(length);
    }

    /** Whether the peer has left. A look for frames after this one finds all that it has sent. */
    public boolean isOver() {
        return listening.isOver();
    }

    /**
     * The next frame, as a copy; null when the peer is gone and all its frames were received.
     *
     * <p>A cancel that returns true has received no frame. Fails with an IllegalStateException if another stage receives already
     * or the link has failed, with a {@link ClosedException} after a close or the end of the loop.
     */
    public CompletableFuture<@Nullable Frame> receiveAsync() {
        return begun(receiving, waiter -> {
            boolean isOver;
            do {
                isOver = isOver();
                Frame frame = tryReceive();
                // A frame of a channel that was reset is for nobody, and others may come after it.
                if (frame != null || (isOver && !hasFrame())) {
                    return new Done<>(frame);
                }
            } while (awaitData(waiter));
            return null;
        });
    }

    /**
     * Sends a frame as soon as there is room for it: SENT, TOO_LARGE or PEER_GONE.
     *
     * <p>A cancel that returns true has sent nothing. Fails as {@link #receiveAsync}.
     *
     * @param frame its payload stays as it is until the stage is done
     */
    public CompletableFuture<SendResult> sendAsync(Frame frame) {
        Objects.requireNonNull(frame, "frame");
        return begun(sending, waiter -> {
            do {
                SendResult result = trySend(frame);
                if (result != SendResult.RING_FULL && result != SendResult.NO_SLOT) {
                    return new Done<>(result);
                }
            } while (awaitRoom(frame.length(), waiter));
            return null;
        });
    }

    /**
     * Claims room for a frame as soon as there is some. Null if there never is: {@link #claimRefusal} tells why. A cancel that
     * returns true has claimed nothing. Fails as {@link #receiveAsync}.
     */
    public CompletableFuture<@Nullable SlotWriter> claimAsync(int length) {
        return begun(sending, waiter -> {
            do {
                SlotWriter claim = tryClaim(length);
                if (claim != null || !LinkRoom.isShort(claimRefusal())) {
                    return new Done<>(claim);
                }
            } while (awaitRoom(length, waiter));
            return null;
        });
    }

    /** Waits until a frame is there. False if the peer is gone and all its frames were received. Fails as {@link #receiveAsync}. */
    public CompletableFuture<Boolean> awaitDataAsync() {
        return begun(receiving, waiter -> {
            do {
                boolean isOver = isOver();
                boolean isThere = hasFrame();
                if (isThere || isOver) {
                    return new Done<>(isThere);
                }
            } while (awaitData(waiter));
            return null;
        });
    }

    /** Waits until the ring has room for a frame. False if the peer is gone. Fails as {@link #receiveAsync}. */
    public CompletableFuture<Boolean> awaitSpaceAsync() {
        return awaitSpaceAsync(0);
    }

    /** As {@link #awaitSpaceAsync()}, until a frame of so many bytes can be sent. */
    public CompletableFuture<Boolean> awaitSpaceAsync(int length) {
        return begun(sending, waiter -> {
            do {
                if (isOver()) {
                    return new Done<>(false);
                }
                if (hasSpace(length)) {
                    return new Done<>(true);
                }
            } while (awaitRoom(length, waiter));
            return null;
        });
    }

    /**
     * Opens a channel, as {@link ShmLink#openChannel}.
     *
     * <p>From the first channel here to the close of this object no thread waits for channels of the link, since they share what
     * they wait on: such a wait is refused.
     */
    public AsyncChannel openChannel() {
        waits.ensureUsable();
        channels.moveToLoop();
        return channel(channels.open());
    }

    /** Accepts the next channel that the peer has opened; null if there is none now. Never waits. See {@link #openChannel}. */
    public @Nullable AsyncChannel tryAcceptChannel() {
        waits.ensureUsable();
        channels.moveToLoop();
        ShmChannel accepted = channels.tryAccept();
        return accepted == null ? null : channel(accepted);
    }

    private AsyncChannel channel(ShmChannel opened) {
        return new AsyncChannel(this, opened, channels.listening(), waits, stages);
    }

    /**
     * Accepts the next channel that the peer opens; null when the peer is gone. A cancel that returns true has accepted none. Fails
     * as {@link #receiveAsync}.
     */
    public CompletableFuture<@Nullable AsyncChannel> acceptChannelAsync() {
        return begun(accepting, waiter -> {
            boolean isOver;
            do {
                isOver = isOver();
                AsyncChannel channel = tryAcceptChannel();
                if (channel != null || isOver) {
                    return new Done<>(channel);
                }
            } while (awaitChannel(waiter));
            return null;
        });
    }

    private <T extends @Nullable Object> CompletableFuture<T> begun(
            AtomicReference<@Nullable LinkWaiter> place, LinkStage.Attempt<T> attempt) {
        return stages.begun(place, this::forget, attempt);
    }

    /**
     * Calls a handler for each frame, on the loop thread, until the peer is gone: then the stage is done, after the last frame.
     * Other work of the loop has its turn after some frames each time.
     *
     * <p>When the stage is cancelled, or this object is closed, the handler gets no more than the frame that it has; all others stay in
     * the ring. A handler that throws ends it too: its frame is consumed, and the stage fails with what it has thrown. Fails as {@link
     * #receiveAsync}.
     */
    public CompletableFuture<@Nullable Void> onFrames(FrameHandler handler) {
        return stages.pumped(receiving, this::forget, new Frames(), handler);
    }

    /**
     * Waits for a frame, or the end of the link, without a future.
     *
     * @return true if there is one already: the waiter is not told; look first whether the link {@linkplain #isOver is over}, then
     *     for frames. If false, the waiter is told of the next change, once, which may be another one
     * @throws IllegalStateException if another one waits already
     */
    public boolean awaitData(LinkWaiter waiter) {
        return waits.forData(waiter, listening::dataOrListen);
    }

    /** As {@link #awaitData}, for room for any frame. */
    public boolean awaitSpace(LinkWaiter waiter) {
        return waits.forRoom(waiter, listening::spaceOrListen);
    }

    /** As {@link #awaitData}, for room for a frame of so many bytes. */
    public boolean awaitRoom(int length, LinkWaiter waiter) {
        return waits.forRoom(waiter, () -> listening.roomOrListen(length));
    }

    /** As {@link #awaitData}, for a channel that the peer opens. */
    public boolean awaitChannel(LinkWaiter waiter) {
        return waits.forChannel(asked, waiter, channels.listening()::askedOrListen);
    }

    /** Takes a waiter back that waits; nothing if it does not wait any more. */
    public void forget(LinkWaiter waiter) {
        waits.forget(waiter);
        asked.forget(waiter);
    }

    /**
     * For one that sends or receives again and again on the loop thread: whether it should let others of the loop go first now,
     * which is so every now and then. On other threads it never is.
     */
    public boolean isTurnOver() {
        return stages.isTurnOver();
    }

    /** Ends all waits here, with a ClosedException, and leaves the link open; a second call does nothing. */
    @Override
    public void close() {
        waits.end(new ClosedException("this AsyncLink was closed; make another one of the link, if that is open"));
    }

    private void refuseStages(RuntimeException why) {
        channels.leaveLoop();
        stages.refuseAll(why);
    }

    @Override
    public String toString() {
        return "AsyncLink[" + loop.name() + (waits.isOver() ? ", closed]" : "]");
    }

    private final class Frames implements FramePump.Source {
        @Override
        public int poll(FrameHandler handler, int limit) {
            return receives.poll(handler, limit);
        }

        @Override
        public boolean isDrained() {
            return isOver() && !hasFrame();
        }

        @Override
        public boolean await(LinkWaiter waiter) {
            return awaitData(waiter);
        }
    }
}
