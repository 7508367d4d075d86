package dev.carillon.loop.queue;

import org.jspecify.annotations.Nullable;

/**
 * A list of items that are linked through themselves. Adding one and taking one out, also from the middle, never fails.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param <T> the type of the items; each is in one chain at a time
 */
public final class Chain<T extends Chain.Link> {
    private @Nullable Link first;
    private @Nullable Link last;

    /** An empty chain. */
    public Chain() {}

    /** An item that can be in a chain. */
    public abstract static class Link {
        private @Nullable Link previous;
        private @Nullable Link next;

        /** In no chain. */
        protected Link() {}
    }

    /** Whether the chain is empty. */
    public boolean isEmpty() {
        return first == null;
    }

    /** The oldest item, or null; it stays. */
    public @Nullable T first() {
        return item(first);
    }

    /** The item behind another one, or null. */
    public @Nullable T after(T item) {
        return item(((Link) item).next);
    }

    @SuppressWarnings("unchecked") // what is added is a T
    private @Nullable T item(@Nullable Link link) {
        return (T) link;
    }

    /** Adds an item at the end. */
    public void add(T item) {
        Link link = item;
        Link before = last;
        link.previous = before;
        link.next = null;
        if (before == null) {
            first = link;
        } else {
            before.next = link;
        }
        last = link;
    }

    /** Takes out the oldest item; null if there is none. */
    public @Nullable T poll() {
        T item = item(first);
        if (item != null) {
            remove(item);
        }
        return item;
    }

    /** Takes out an item that is in this chain. */
    public void remove(T item) {
        Link link = item;
        Link before = link.previous;
        Link after = link.next;
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
        link.previous = null;
        link.next = null;
    }
}
