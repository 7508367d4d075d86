package dev.carillon.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for channels of a link on its loop: each in a place of its own, and all are told of each change.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Order:</b> a waiter takes its place before the place is queued; whoever tells takes the place from the queue before it takes
 * the waiter. So a waiter that was not taken is in the queue.
 */
final class WaitPlaces {
    private final Queue<Place> queued = new ConcurrentLinkedQueue<>();

    /** Where one waits. Whoever gives up its wait empties {@link #waiter}; the place stays in the queue until the next change. */
    static final class Place {
        final AtomicReference<@Nullable LinkWaiter> waiter = new AtomicReference<>();
        private final AtomicBoolean isQueued = new AtomicBoolean();

        void forget(LinkWaiter gone) {
            waiter.compareAndSet(gone, null);
        }
    }

    /** There is a waiter in that place. */
    void add(Place place) {
        if (place.isQueued.compareAndSet(false, true)) {
            queued.add(place);
        }
    }

    boolean isEmpty() {
        return queued.isEmpty();
    }

    /** All that wait; who waits again is not among them. */
    List<LinkWaiter> take() {
        Place place = queued.poll();
        if (place == null) {
            return List.of();
        }
        List<LinkWaiter> taken = new ArrayList<>();
        while (place != null) {
            place.isQueued.set(false);
            LinkWaiter waiter = place.waiter.getAndSet(null);
            if (waiter != null) {
                taken.add(waiter);
            }
            place = queued.poll();
        }
        return taken;
    }
}
