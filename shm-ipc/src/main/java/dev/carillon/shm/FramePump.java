package dev.carillon.shm;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the frames of a link or a channel on its loop, some at a time, until there are no more or its stage is done.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class FramePump implements LinkWaiter, EndingHandler {
    private final Source source;
    private final LinkWaits waits;
    private final FrameHandler handler;
    private final CompletableFuture<@Nullable Void> ended;
    private final Consumer<LinkWaiter> leave;

    /** Where the frames come from. */
    interface Source {
        int poll(FrameHandler handler, int limit);

        /** Whether nothing more comes, and nothing is left. */
        boolean isDrained();

        /** Whether there may be something now; if not, the waiter is told of a change. */
        boolean await(LinkWaiter waiter);
    }

    FramePump(
            Source source,
            LinkWaits waits,
            FrameHandler handler,
            CompletableFuture<@Nullable Void> ended,
            Consumer<LinkWaiter> leave) {
        this.source = source;
        this.waits = waits;
        this.handler = handler;
        this.ended = ended;
        this.leave = leave;
    }

    @Override
    public void changed() {
        if (ended.isDone()) {
            return;
        }
        try {
            handOut();
        } catch (RuntimeException why) {
            fail(why);
        } catch (Error why) {
            fail(why);
            throw why;
        }
    }

    /** Leaves its place before anybody learns of the end: who does may begin the next stage at once. */
    private void fail(Throwable why) {
        leave.accept(this);
        ended.completeExceptionally(why);
    }

    private void handOut() {
        int taken = source.poll(this, LinkStages.BATCH);
        if (ended.isDone()) {
            return;
        }
        if (taken == 0 && source.isDrained()) {
            leave.accept(this);
            ended.complete(null);
        } else if (taken == LinkStages.BATCH || source.await(this)) {
            waits.tellLater(this);
        }
    }

    @Override
    public void onFrame(Frame frame) {
        handler.onFrame(frame);
    }

    /** Who has cancelled it, in the handler or on another thread, gets no more: those frames stay in the ring. */
    // r[impl shm.loop]
    @Override
    public boolean wantsMore() {
        return !ended.isDone();
    }

    @Override
    public void refused(RuntimeException why) {
        fail(why);
    }
}
