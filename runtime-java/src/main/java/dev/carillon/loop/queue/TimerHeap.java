package dev.carillon.loop.queue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Timers by deadline, and by order of insertion among equal deadlines: a heap with four children per node.
 *
 * <p>Deadlines and sequence numbers stand beside the nodes in arrays of their own, and nodes do not know their place: a look
 * into a node, or a write to it, would miss the cache for each step up or down. An entry whose node was cancelled, or set
 * anew and so has another sequence number, is a tombstone. It stays until it comes to the top, or until more than half of
 * the entries are tombstones and all of them are swept out.
 *
 * <p>New entries lie unsorted behind the heap until a caller asks for the earliest. Many timeouts are cancelled before that,
 * and never get into the heap.
 *
 * <p><b>Threading:</b> one thread.
 */
// r[impl timer.heap]
public final class TimerHeap {
    /** No timer: later than every deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int SMALLEST = 64;
    private static final int CHILDREN = 4;

    /** So many entries lie unsorted at most, so that they are still in the cache when the heap sorts them. */
    private static final int UNSORTED = 1024;

    /** The heap keeps arrays up to this length. */
    private static final int ROOMY = 4 * UNSORTED;

    private long[] deadlines = new long[SMALLEST];
    private long[] sequences = new long[SMALLEST];
    private @Nullable TimerNode[] nodes = new TimerNode[SMALLEST];

    /** The entries up to here form the heap. */
    private int sorted;

    private int size;

    /** No unsorted entry is due before this. */
    private long unsortedFrom = NEVER;

    /** How many tombstones there are. It may be too high, since some nodes are cancelled before they get here. */
    private int dead;

    private long sequence;

    /** An empty heap. */
    public TimerHeap() {}

    /** Puts in an armed node; where it lay before, it leaves a tombstone. One place stays free, for {@link #addAgain}. */
    public void add(TimerNode node) {
        add(node, 1);
    }

    /**
     * Puts in the node that {@link #pollDue} has returned last, armed again. That takes no memory, whatever was added since
     * then.
     */
    public void addAgain(TimerNode node) {
        add(node, 0);
    }

    private void add(TimerNode node, int spare) {
        if (size - sorted == UNSORTED) {
            sortIn();
        }
        if (size + spare >= nodes.length) {
            resize(nodes.length * 2);
        }
        node.sequence = ++sequence;
        unsortedFrom = Math.min(unsortedFrom, node.deadline());
        put(size++, node, node.deadline(), sequence);
    }

    /** Makes a tombstone of the entry of a node that is armed and shall wait elsewhere. */
    public void leave(TimerNode node) {
        node.sequence = ++sequence;
    }

    /** Whether a timer may be due, tombstones included. Costs next to nothing and sorts nothing. */
    public boolean mayBeDue(long nowNanos) {
        return unsortedFrom <= nowNanos || (sorted > 0 && deadlines[0] <= nowNanos);
    }

    /** Counts nodes that were cancelled; the canceller calls this. */
    public void cancelled(int count) {
        dead += count;
        if (dead > size / 2 && (size > SMALLEST || dead >= SMALLEST)) {
            sweep();
        }
    }

    /** Takes out the first node if it is due, as fired. */
    public @Nullable TimerNode pollDue(long nowNanos) {
        sortIn();
        while (size > 0 && deadlines[0] <= nowNanos) {
            boolean current = isCurrent(0);
            TimerNode first = removeFirst();
            if (current && first.tryFire()) {
                return first;
            }
            buried();
        }
        return null;
    }

    /** Takes out any node that is not cancelled, to clear the heap. */
    public @Nullable TimerNode pollAny() {
        while (size > 0) {
            TimerNode last = at(--size);
            boolean isLive = isLive(size);
            nodes[size] = null;
            sorted = Math.min(sorted, size);
            if (isLive) {
                return last;
            }
        }
        dead = 0;
        return null;
    }

    /** The first deadline, or {@link #NEVER}. */
    public long earliest() {
        sortIn();
        while (size > 0 && !isLive(0)) {
            removeFirst();
            buried();
        }
        return size > 0 ? deadlines[0] : NEVER;
    }

    /** How many entries it holds, tombstones included. */
    public int size() {
        return size;
    }

    /** Whether no timer waits here. */
    public boolean isEmpty() {
        return earliest() == NEVER && size == 0;
    }

    private boolean isCurrent(int index) {
        return at(index).sequence == sequences[index];
    }

    private boolean isLive(int index) {
        TimerNode node = at(index);
        return node.sequence == sequences[index] && node.isArmed();
    }

    private void buried() {
        dead = Math.max(0, dead - 1);
    }

    /** Moves the unsorted entries into the heap, and drops the tombstones among them. */
    private void sortIn() {
        if (sorted == size) {
            return;
        }
        int end = size;
        unsortedFrom = NEVER;
        for (int i = sorted; i < end; i++) {
            if (isLive(i)) {
                siftUp(sorted++, at(i), deadlines[i], sequences[i]);
            } else {
                buried();
            }
        }
        size = sorted;
        Arrays.fill(nodes, size, end, null);
    }

    private void sweep() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (isLive(i)) {
                put(kept++, at(i), deadlines[i], sequences[i]);
            }
        }
        Arrays.fill(nodes, kept, size, null);
        size = kept;
        sorted = kept;
        unsortedFrom = NEVER;
        dead = 0;
        // Tombstones will fill this room again, so the arrays shrink only when far less is left.
        int wanted = Math.max(ROOMY, Integer.highestOneBit(Math.max(1, size)) * 4);
        for (int i = size / CHILDREN; i >= 0 && i < size; i--) {
            siftDown(i, at(i), deadlines[i], sequences[i]);
        }
        if (wanted < nodes.length / 2) {
            shrink(wanted);
        }
    }

    /** Gives back half of the arrays where a burst has made them far larger than their content. */
    public void giveBack() {
        int length = nodes.length;
        if (length > ROOMY && size < length / 8) {
            shrink(length / 2);
        }
    }

    /** How many places its arrays have. */
    int capacity() {
        return nodes.length;
    }

    private void shrink(int length) {
        try {
            resize(length);
        } catch (OutOfMemoryError memoryIsShort) {
            // The arrays stay as they are, which is no worse than before.
            ShortMemory.pause();
        }
    }

    /** All or nothing, where memory is short. */
    private void resize(int length) {
        long[] otherDeadlines = Arrays.copyOf(deadlines, length);
        long[] otherSequences = Arrays.copyOf(sequences, length);
        nodes = Arrays.copyOf(nodes, length);
        deadlines = otherDeadlines;
        sequences = otherSequences;
    }

    private TimerNode removeFirst() {
        TimerNode first = at(0);
        TimerNode last = at(--size);
        sorted = size;
        nodes[size] = null;
        if (size > 0) {
            siftDown(0, last, deadlines[size], sequences[size]);
        }
        return first;
    }

    private void siftUp(int from, TimerNode node, long deadline, long order) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) / CHILDREN;
            if (!isBefore(deadline, order, parent)) {
                break;
            }
            move(parent, index);
            index = parent;
        }
        put(index, node, deadline, order);
    }

    private void siftDown(int from, TimerNode node, long deadline, long order) {
        int index = from;
        while (true) {
            int child = CHILDREN * index + 1;
            if (child >= size) {
                break;
            }
            int end = Math.min(child + CHILDREN, size);
            int least = child;
            for (int i = child + 1; i < end; i++) {
                if (isBefore(deadlines[i], sequences[i], least)) {
                    least = i;
                }
            }
            if (isBefore(deadline, order, least)) {
                break;
            }
            move(least, index);
            index = least;
        }
        put(index, node, deadline, order);
    }

    private boolean isBefore(long deadline, long order, int other) {
        long theirs = deadlines[other];
        return deadline < theirs || (deadline == theirs && order < sequences[other]);
    }

    private void move(int from, int to) {
        put(to, at(from), deadlines[from], sequences[from]);
    }

    private void put(int index, TimerNode node, long deadline, long order) {
        deadlines[index] = deadline;
        sequences[index] = order;
        nodes[index] = node;
    }

    @SuppressWarnings("NullAway") // below size there is a node everywhere
    private TimerNode at(int index) {
        return nodes[index];
    }
}
