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
    /** Frames in a row, before others of the loop have their turn. */
    private static final int BATCH = 64;

    private final EventLoop loop;
    private final LinkSending sends;
    private final LinkReceiving receives;
    private final LinkListening listening;
    private final LinkWaits waits;

    // The stages that are not done.
    private final AtomicReference<@Nullable LinkWaiter> receiving = new AtomicReference<>();
    private final AtomicReference<@Nullable LinkWaiter> sending = new AtomicReference<>();

    /** The loop thread's. */
    private int inARow;

    private AsyncLink(
            EventLoop loop, LinkSending sends, LinkReceiving receives, LinkListening listening, PeerWatch peer) {
        this.loop = loop;
        this.sends = sends;
        this.receives = receives;
        this.listening = listening;
        waits = new LinkWaits(loop, peer, this::refuseStages);
    }

    static AsyncLink on(
            EventLoop loop, LinkSending sends, LinkReceiving receives, LinkListening listening, PeerWatch peer) {
        AsyncLink async = new AsyncLink(loop, sends, receives, listening, peer);
        async.waits.begin();
        return async;
    }

    /** The loop on which it lives. */
    public EventLoop loop() {
        return loop;
    }

    /** As {@link ShmLink#trySend}. */
    public SendResult trySend(Frame frame) {
        return sends.trySend(frame);
    }

    /** The next frame, as a copy; null if there is none now. Never waits. */
    public @Nullable Frame tryReceive() {
        Frame[] received = new Frame[1];
        receives.poll(frame -> received[0] = frame.copy(), 1);
        return received[0];
    }

    /** Whether a frame is there now. */
    public boolean hasFrame() {
        return listening.hasFrame();
    }

    /** Whether the ring has room for a frame now. */
    public boolean hasSpace() {
        return listening.hasEntry();
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
            } while (awaitRoom(frame, waiter));
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
        return begun(sending, waiter -> {
            do {
                if (isOver()) {
                    return new Done<>(false);
                }
                if (hasSpace()) {
                    return new Done<>(true);
                }
            } while (awaitSpace(waiter));
            return null;
        });
    }

    /** Every now and then not at once: one that goes on in its own callback shuts out nobody, and needs little stack. */
    private <T extends @Nullable Object> CompletableFuture<T> begun(
            AtomicReference<@Nullable LinkWaiter> place, LinkStage.Attempt<T> attempt) {
        LinkStage<T> stage = new LinkStage<>(loop, attempt, left -> {
            waits.forget(left);
            place.compareAndSet(left, null);
        });
        if (!place.compareAndSet(null, stage)) {
            stage.refused(taken());
        } else if (isTurnOver()) {
            waits.tellLater(stage);
        } else {
            stage.changed();
        }
        return stage;
    }

    private static IllegalStateException taken() {
        return new IllegalStateException(
                "another stage of this link waits already: a link has one receiver and one sender at a time");
    }

    /**
     * Calls a handler for each frame, on the loop thread, until the peer is gone: then the stage is done, after the last frame.
     * Other work of the loop has its turn after some frames each time.
     *
     * <p>When the stage is cancelled, the handler may get those frames that are being handed out just now; all others stay in the
     * ring. A handler that throws ends it too: its frame is consumed, and the stage fails with what it has thrown. Fails as {@link
     * #receiveAsync}.
     */
    public CompletableFuture<@Nullable Void> onFrames(FrameHandler handler) {
        Objects.requireNonNull(handler, "handler");
        CompletableFuture<@Nullable Void> ended = loop.newFuture();
        FramePump pump = new FramePump(receives, new PumpWaits(), handler, BATCH, ended);
        if (!receiving.compareAndSet(null, pump)) {
            ended.completeExceptionally(taken());
            return ended;
        }
        var unused = ended.whenComplete((nothing, why) -> {
            waits.forget(pump);
            receiving.compareAndSet(pump, null);
        });
        waits.tellLater(pump);
        return ended;
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

    /** As {@link #awaitData}, for room for that frame. */
    public boolean awaitRoom(Frame frame, LinkWaiter waiter) {
        return waits.forRoom(waiter, () -> listening.roomOrListen(frame.length()));
    }

    /** Takes a waiter back that waits; nothing if it does not wait any more. */
    public void forget(LinkWaiter waiter) {
        waits.forget(waiter);
    }

    /**
     * For one that sends or receives again and again on the loop thread: whether it should let others of the loop go first now,
     * which is so every now and then. On other threads it never is.
     */
    public boolean isTurnOver() {
        if (!loop.inLoop()) {
            return false;
        }
        inARow = (inARow + 1) % BATCH;
        return inARow == 0;
    }

    /** Ends all waits here, with a ClosedException, and leaves the link open; a second call does nothing. */
    @Override
    public void close() {
        waits.end(new ClosedException("this AsyncLink was closed; make another one of the link, if that is open"));
    }

    /** Those that have been told to go on are in no other place. */
    private void refuseStages(RuntimeException why) {
        waits.refuse(receiving.get(), why);
        waits.refuse(sending.get(), why);
    }

    @Override
    public String toString() {
        return "AsyncLink[" + loop.name() + (waits.isOver() ? ", closed]" : "]");
    }

    private final class PumpWaits implements FramePump.Waits {
        @Override
        public boolean isOver() {
            return AsyncLink.this.isOver();
        }

        @Override
        public boolean hasFrame() {
            return AsyncLink.this.hasFrame();
        }

        @Override
        public boolean awaitData(LinkWaiter waiter) {
            return AsyncLink.this.awaitData(waiter);
        }

        @Override
        public void tellLater(LinkWaiter waiter) {
            waits.tellLater(waiter);
        }
    }
}
