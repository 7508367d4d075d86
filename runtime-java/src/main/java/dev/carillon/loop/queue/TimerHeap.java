package dev.carillon.loop.queue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Timers by deadline, and by order of insertion among equal deadlines: a heap with four children per node.
 *
 * <p>Deadlines stand beside the nodes in an array of their own, since looking them up in the nodes would miss the cache
 * for each comparison. A cancelled node stays as a tombstone until it comes to the top, or until more than half of the
 * nodes are tombstones and all of them are swept out.
 *
 * <p><b>Threading:</b> one thread.
 */
// r[impl timer.heap]
public final class TimerHeap {
    /** No timer: later than every deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int SMALLEST = 64;
    private static final int CHILDREN = 4;

    private long[] deadlines = new long[SMALLEST];
    private @Nullable TimerNode[] nodes = new TimerNode[SMALLEST];
    private int size;

    /** How many tombstones there are; may be too high, since some are cancelled before they get here. */
    private int dead;

    private long sequence;

    /** An empty heap. */
    public TimerHeap() {}

    /** Puts in an armed node; one that still lies here as a tombstone moves. */
    public void add(TimerNode node) {
        if (node.index >= 0) {
            removeAt(node.index);
            dead = Math.max(0, dead - 1);
        }
        if (size == nodes.length) {
            deadlines = Arrays.copyOf(deadlines, size * 2);
            nodes = Arrays.copyOf(nodes, size * 2);
        }
        node.sequence = sequence++;
        siftUp(size++, node, node.deadline());
    }

    /** To be told after nodes were cancelled. */
    public void cancelled(int count) {
        dead += count;
        if (dead > size / 2 && size > SMALLEST) {
            sweep();
        }
    }

    /** Takes out the first node if it is due, as fired. */
    public @Nullable TimerNode pollDue(long nowNanos) {
        while (size > 0 && deadlines[0] <= nowNanos) {
            TimerNode first = removeAt(0);
            if (first.tryFire()) {
                return first;
            }
            dead = Math.max(0, dead - 1);
        }
        return null;
    }

    /** Takes out any node that is not cancelled, for clearing. */
    public @Nullable TimerNode pollAny() {
        while (size > 0) {
            TimerNode last = removeAt(size - 1);
            if (last.isArmed()) {
                return last;
            }
        }
        dead = 0;
        return null;
    }

    /** The first deadline, or {@link #NEVER}. */
    public long earliest() {
        while (size > 0 && !at(0).isArmed()) {
            removeAt(0);
            dead = Math.max(0, dead - 1);
        }
        return size > 0 ? deadlines[0] : NEVER;
    }

    /** How many nodes it holds, tombstones included. */
    public int size() {
        return size;
    }

    /** Whether a timer waits here. */
    public boolean isEmpty() {
        return earliest() == NEVER && size == 0;
    }

    private void sweep() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            TimerNode node = at(i);
            if (node.isArmed()) {
                put(kept++, node, deadlines[i]);
            } else {
                node.index = -1;
            }
        }
        Arrays.fill(nodes, kept, size, null);
        size = kept;
        dead = 0;
        shrink();
        for (int i = size / CHILDREN; i >= 0 && i < size; i--) {
            siftDown(i, at(i), deadlines[i]);
        }
    }

    private void shrink() {
        int wanted = Math.max(SMALLEST, Integer.highestOneBit(Math.max(1, size)) * 4);
        if (wanted < nodes.length) {
            deadlines = Arrays.copyOf(deadlines, wanted);
            nodes = Arrays.copyOf(nodes, wanted);
        }
    }

    private TimerNode removeAt(int index) {
        TimerNode removed = at(index);
        removed.index = -1;
        TimerNode last = at(--size);
        long deadline = deadlines[size];
        nodes[size] = null;
        if (index < size) {
            siftDown(index, last, deadline);
            if (last.index == index) {
                siftUp(index, last, deadline);
            }
        }
        return removed;
    }

    private void siftUp(int from, TimerNode node, long deadline) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) / CHILDREN;
            if (!isBefore(deadline, node, parent)) {
                break;
            }
            put(index, at(parent), deadlines[parent]);
            index = parent;
        }
        put(index, node, deadline);
    }

    private void siftDown(int from, TimerNode node, long deadline) {
        int index = from;
        while (true) {
            int child = CHILDREN * index + 1;
            if (child >= size) {
                break;
            }
            int end = Math.min(child + CHILDREN, size);
            int least = child;
            for (int i = child + 1; i < end; i++) {
                if (isBefore(deadlines[i], at(i), least)) {
                    least = i;
                }
            }
            if (isBefore(deadline, node, least)) {
                break;
            }
            put(index, at(least), deadlines[least]);
            index = least;
        }
        put(index, node, deadline);
    }

    private boolean isBefore(long deadline, TimerNode node, int other) {
        long theirs = deadlines[other];
        return deadline < theirs || (deadline == theirs && node.sequence < at(other).sequence);
    }

    private void put(int index, TimerNode node, long deadline) {
        deadlines[index] = deadline;
        nodes[index] = node;
        node.index = index;
    }

    @SuppressWarnings("NullAway") // below size there is a node everywhere
    private TimerNode at(int index) {
        return nodes[index];
    }
}
