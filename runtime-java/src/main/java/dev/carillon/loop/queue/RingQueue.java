package dev.carillon.loop.queue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue of one thread, in an array that grows and that it uses over and over.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class RingQueue<T> {
    private static final int SMALLEST = 16;

    /** The queue keeps arrays up to this length. */
    private static final int ROOMY = 1024;

    private @Nullable Object[] items;
    private int mask;

    /** Both only grow, and wrap around; their difference is the size. */
    private int first;

    private int end;

    /** An empty queue. */
    public RingQueue() {
        items = new Object[SMALLEST];
        mask = SMALLEST - 1;
    }

    /** Adds at the end. */
    public void add(T item) {
        Objects.requireNonNull(item, "item");
        if (end - first > mask) {
            // Before anything changes: where memory is short, nothing is added and nothing overwritten.
            resize(Math.multiplyExact(items.length, 2));
        }
        items[end++ & mask] = item;
    }

    /** Makes room for so many items in all. Adding them does not fail then. */
    public void reserve(int most) {
        if (most > items.length) {
            resize(Integer.highestOneBit(most - 1) << 1);
        }
    }

    private void resize(int length) {
        int size = size();
        @Nullable Object[] others = new Object[length];
        for (int i = 0; i < size; i++) {
            others[i] = items[(first + i) & mask];
        }
        items = others;
        mask = length - 1;
        first = 0;
        end = size;
    }

    /** Takes from the front; null if empty. */
    @SuppressWarnings("unchecked")
    public @Nullable T poll() {
        if (first == end) {
            return null;
        }
        int index = first++ & mask;
        T item = (T) items[index];
        items[index] = null;
        return item;
    }

    // r[impl loop.burst]
    /**
     * Gives back half of the array where a burst has made it far larger than its content. The owner calls this when it has
     * nothing else to do, so bursts that come one after the other keep most of their array.
     */
    public void giveBack() {
        int length = items.length;
        if (length > ROOMY && size() < length / 8) {
            try {
                resize(length / 2);
            } catch (OutOfMemoryError memoryIsShort) {
                ShortMemory.pause();
            }
        }
    }

    /** How many places its array has. */
    int capacity() {
        return items.length;
    }

    /** How many items there are. */
    public int size() {
        return end - first;
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return first == end;
    }
}
