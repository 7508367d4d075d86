package dev.carillon.signal;

import org.jspecify.annotations.Nullable;

/** The waiters for one signal, longest first. <b>Threading:</b> the loop's. */
final class WaiterQueue {
    private @Nullable Place first;
    private @Nullable Place last;

    void add(Place place) {
        Place end = last;
        place.queue = this;
        place.previous = end;
        if (end == null) {
            first = place;
        } else {
            end.next = place;
        }
        last = place;
    }

    /** The one that has waited longest, or null. */
    @Nullable
    SignalWaiter first() {
        Place head = first;
        return head == null ? null : head.waiter;
    }

    boolean isEmpty() {
        return first == null;
    }

    private void remove(Place place) {
        Place before = place.previous;
        Place after = place.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        place.queue = null;
        place.previous = null;
        place.next = null;
    }

    /** A waiter's place in the queue of one signal. */
    static final class Place {
        final SignalWaiter waiter;
        final int signal;

        /** The same waiter's place in the queue of another signal. */
        final @Nullable Place other;

        private @Nullable WaiterQueue queue;
        private @Nullable Place previous;
        private @Nullable Place next;

        Place(SignalWaiter waiter, int signal, @Nullable Place other) {
            this.waiter = waiter;
            this.signal = signal;
            this.other = other;
        }

        /** Leaves the queue, if it is in one. */
        void leave() {
            WaiterQueue in = queue;
            if (in != null) {
                in.remove(this);
            }
        }
    }
}
