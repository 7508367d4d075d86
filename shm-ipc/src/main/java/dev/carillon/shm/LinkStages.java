package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a link and its channels that are not done: each is alone in its place, and all end with the waits of the link.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkStages {
    /** So many in a row, before others of the loop have their turn. */
    static final int BATCH = 64;

    private final EventLoop loop;
    private final LinkWaits waits;
    private final Set<LinkWaiter> waiting = ConcurrentHashMap.newKeySet();

    /** The loop thread's. */
    private int inARow;

    LinkStages(EventLoop loop, LinkWaits waits) {
        this.loop = loop;
        this.waits = waits;
    }

    /**
     * Begins a stage. Every now and then not at once: one that goes on in its own callback shuts out nobody, and needs little stack.
     *
     * @param place where it is alone
     * @param forget takes its wait back
     */
    <T extends @Nullable Object> CompletableFuture<T> begun(
            AtomicReference<@Nullable LinkWaiter> place, Consumer<LinkWaiter> forget, LinkStage.Attempt<T> attempt) {
        LinkStage<T> stage = new LinkStage<>(loop, attempt, left -> {
            forget.accept(left);
            leave(place, left);
        });
        if (!place.compareAndSet(null, stage)) {
            stage.refused(taken());
        } else if (isTurnOver()) {
            waits.tellLater(stage);
        } else {
            stage.changed();
        }
        if (!stage.isSettled()) {
            keep(stage);
            if (stage.isSettled()) {
                // Meanwhile, and it may have left before it was kept.
                waiting.remove(stage);
            }
        }
        return stage;
    }

    /** Calls a handler for each frame, until nothing more comes, or the stage is completed by others. */
    CompletableFuture<@Nullable Void> pumped(
            AtomicReference<@Nullable LinkWaiter> place,
            Consumer<LinkWaiter> forget,
            FramePump.Source source,
            FrameHandler handler) {
        Objects.requireNonNull(handler, "handler");
        CompletableFuture<@Nullable Void> ended = loop.newFuture();
        Consumer<LinkWaiter> leave = left -> {
            forget.accept(left);
            leave(place, left);
        };
        FramePump pump = new FramePump(source, waits, handler, ended, leave);
        if (!place.compareAndSet(null, pump)) {
            ended.completeExceptionally(taken());
            return ended;
        }
        // Others may complete it.
        var unused = ended.whenComplete((nothing, why) -> leave.accept(pump));
        keep(pump);
        waits.tellLater(pump);
        return ended;
    }

    private void leave(AtomicReference<@Nullable LinkWaiter> place, LinkWaiter waiter) {
        place.compareAndSet(waiter, null);
        waiting.remove(waiter);
    }

    private void keep(LinkWaiter waiter) {
        waiting.add(waiter);
        // The end of all waits may have come before, and not have found it.
        waits.refuseIfOver(waiter);
    }

    private static IllegalStateException taken() {
        return new IllegalStateException(
                "another stage of this link or channel waits already: it has one receiver and one"
                        + " sender at a time");
    }

    /** Also those that have been told to go on, and are in no other place. */
    void refuseAll(RuntimeException why) {
        for (LinkWaiter each : waiting) {
            waits.refuse(each, why);
        }
    }

    boolean isTurnOver() {
        if (!loop.inLoop()) {
            return false;
        }
        inARow = (inARow + 1) % BATCH;
        return inARow == 0;
    }
}
