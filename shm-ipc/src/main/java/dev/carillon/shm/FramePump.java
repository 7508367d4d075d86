package dev.carillon.shm;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the frames of a link on its loop, some at a time.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class FramePump implements LinkWaiter {
    private final LinkReceiving receiving;
    private final Waits waits;
    private final FrameHandler handler;
    private final int batch;
    private final CompletableFuture<@Nullable Void> ended;

    /** How it waits for more. */
    interface Waits {
        boolean isOver();

        boolean hasFrame();

        boolean awaitData(LinkWaiter waiter);

        void tellLater(LinkWaiter waiter);
    }

    FramePump(
            LinkReceiving receiving,
            Waits waits,
            FrameHandler handler,
            int batch,
            CompletableFuture<@Nullable Void> ended) {
        this.receiving = receiving;
        this.waits = waits;
        this.handler = handler;
        this.batch = batch;
        this.ended = ended;
    }

    @Override
    public void changed() {
        if (ended.isDone()) {
            return;
        }
        try {
            handOut();
        } catch (RuntimeException why) {
            ended.completeExceptionally(why);
        } catch (Error why) {
            ended.completeExceptionally(why);
            throw why;
        }
    }

    private void handOut() {
        boolean isOver = waits.isOver();
        int taken = receiving.poll(handler, batch);
        if (ended.isDone()) {
            return;
        }
        if (taken == 0 && isOver && !waits.hasFrame()) {
            ended.complete(null);
        } else if (taken == batch || waits.awaitData(this)) {
            waits.tellLater(this);
        }
    }

    @Override
    public void refused(RuntimeException why) {
        ended.completeExceptionally(why);
    }
}
