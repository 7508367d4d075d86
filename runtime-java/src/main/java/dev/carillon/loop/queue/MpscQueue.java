package dev.carillon.loop.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An unbounded queue from many threads to one, in chunks.
 *
 * <p>A producer claims a place with one atomic addition and fills it with one release store. The consumer looks at the
 * places themselves. It reads the producers' counter only when it has to know that nothing is on its way: a consumer that
 * read the counter for each item would take its cache line away from the producers each time.
 *
 * <p>A producer that failed between the two would stop the queue. So it waits for memory for a chunk, and its caller makes
 * sure of room on the stack before it offers.
 *
 * <p>Lifecycle, in the upper bits of the counter: open; <i>stopped</i>, where {@link #offer} refuses and {@link
 * #offerAlways} does not; <i>closed</i>, where both refuse. The consumer still gets what was accepted before, so nothing
 * accepted is lost and nothing refused is run.
 *
 * <p>The queue uses the arrays of used-up chunks again. It allocates one chunk header per {@link #CHUNK} items.
 *
 * <p><b>Threading:</b> {@link #offer}, {@link #offerAlways}, {@link #stop} and {@link #backlog}: any thread; the rest: the
 * consumer.
 *
 * <p><b>Order:</b> items of one producer come out in the order in which they went in; what a producer did before offering is
 * visible to the consumer of the item.
 */
public final class MpscQueue<T> {
    /** Places per chunk unless the constructor says otherwise. */
    public static final int CHUNK = 2048;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle NEXT = Fields.of(MethodHandles.lookup(), Chunk.class, "next", Chunk.class);
    private static final VarHandle SPARE = Fields.of(MethodHandles.lookup(), MpscQueue.class, "spare", Object[].class);

    /** Two cache lines: processors fetch them in pairs. */
    private static final int APART = 128 / Long.BYTES;

    private static final int CLAIMED = APART;
    private static final int TAKEN = 2 * APART;
    private static final long STOPPED = 1L << 62;
    private static final long CLOSED = 1L << 61;
    private static final long COUNT = CLOSED - 1;

    /** Fills the place of an item that was refused after its place was claimed. */
    private static final Object REFUSED = new Object();

    /** CLAIMED: places given to producers, with the two flags; TAKEN: places that the consumer has emptied. */
    private final long[] counters = new long[3 * APART];

    private final int shift;
    private final int mask;

    /** Where producers look first. It may lag behind, and is never ahead of the last chunk. */
    private volatile Chunk tail;

    /** The consumer's chunk: all places before it are filled. */
    private volatile Chunk head;

    @SuppressWarnings("unused") // through SPARE
    private volatile Object @Nullable [] spare;

    /** The consumer's own. It moves on once per chunk. What changes with each item is in the counters, far from tail. */
    private Chunk current;

    /** An empty queue. */
    public MpscQueue() {
        this(CHUNK);
    }

    /**
     * An empty queue with small chunks, for tests.
     *
     * @param chunk places per chunk, a power of two
     */
    public MpscQueue(int chunk) {
        if (chunk < 1 || Integer.bitCount(chunk) != 1) {
            throw new IllegalArgumentException("chunk=" + chunk + ": a power of two");
        }
        mask = chunk - 1;
        shift = Integer.numberOfTrailingZeros(chunk);
        current = new Chunk(0, new Object[chunk]);
        tail = current;
        head = current;
    }

    /** Adds an item; false, and nothing done, after {@link #stop} or {@link #close}. */
    public boolean offer(T item) {
        return offer(item, STOPPED);
    }

    /** Adds an item; false, and nothing done, after {@link #close}. */
    public boolean offerAlways(T item) {
        return offer(item, CLOSED);
    }

    private boolean offer(T item, long refusing) {
        Objects.requireNonNull(item, "item");
        long claimed = (long) LONGS.getAndAdd(counters, CLAIMED, 1L);
        if ((claimed & CLOSED) != 0) {
            return false;
        }
        long index = claimed & COUNT;
        long id = index >>> shift;
        try {
            Chunk chunk = tail;
            if (chunk.id != id) {
                chunk = find(chunk, id);
            }
            boolean accepted = (claimed & refusing) == 0;
            SLOTS.setRelease(chunk.slots, (int) index & mask, accepted ? item : REFUSED);
            return accepted;
        } catch (RuntimeException | Error failure) {
            // Our caller has made sure of room on the stack, so this should not happen. The consumer must get past our
            // place
            // all the same. This calls nothing, since a call could fail again, and REFUSED needs no order.
            Chunk chunk = head;
            while (chunk != null && chunk.id < id) {
                chunk = chunk.next;
            }
            if (chunk != null && chunk.id == id) {
                chunk.slots[(int) index & mask] = REFUSED;
            }
            throw failure;
        }
    }

    /** Our place is not filled yet, so the consumer is at our chunk or before it, and head leads there. */
    private Chunk find(Chunk hint, long id) {
        Chunk chunk = hint.id < id ? hint : head;
        while (chunk.id != id) {
            Chunk next = chunk.next;
            chunk = next != null ? next : append(chunk);
        }
        if (tail.id < id) {
            tail = chunk;
        }
        return chunk;
    }

    /**
     * Our place is claimed, and the consumer passes no place that is not filled. So where memory is short we wait for it, or
     * for a chunk that another producer appends, since giving up would stop the queue for good.
     */
    private Chunk append(Chunk last) {
        while (true) {
            try {
                return tryAppend(last);
            } catch (OutOfMemoryError memoryIsShort) {
                ShortMemory.pause();
            }
            Chunk next = last.next;
            if (next != null) {
                return next;
            }
        }
    }

    private Chunk tryAppend(Chunk last) {
        @Nullable Object[] slots = (Object[]) SPARE.getAndSet(this, null);
        if (slots == null) {
            slots = new Object[mask + 1];
        }
        Chunk fresh = new Chunk(last.id + 1, slots);
        if (NEXT.compareAndSet(last, null, fresh)) {
            return fresh;
        }
        SPARE.setRelease(this, slots);
        return Objects.requireNonNull(last.next);
    }

    /** The oldest item; null if there is none, or its producer has not filled its place yet. */
    @SuppressWarnings("unchecked")
    public @Nullable T poll() {
        while (true) {
            long taken = taken();
            if (current.id != taken >>> shift && !advance()) {
                return null;
            }
            @Nullable Object[] slots = current.slots;
            int at = (int) taken & mask;
            Object item = SLOTS.getAcquire(slots, at);
            if (item == null) {
                return null;
            }
            slots[at] = null;
            LONGS.setOpaque(counters, TAKEN, taken + 1);
            if (item != REFUSED) {
                return (T) item;
            }
        }
    }

    private boolean advance() {
        Chunk next = current.next;
        if (next == null) {
            return false;
        }
        @Nullable Object[] used = current.slots;
        current = next;
        head = next;
        if (tail.id < next.id) {
            tail = next;
        }
        SPARE.setRelease(this, used);
        return true;
    }

    /** Only the consumer writes it, so the consumer needs no order to read it. */
    private long taken() {
        return counters[TAKEN];
    }

    /** Whether no place is claimed, filled or not; pairs with the claim of a producer (sequential order). */
    public boolean isEmpty() {
        return ((long) LONGS.getVolatile(counters, CLAIMED) & COUNT) == taken();
    }

    /** About how many items wait. */
    public long backlog() {
        return Math.max(0, claimed() - (long) LONGS.getOpaque(counters, TAKEN));
    }

    /** How many places producers have claimed in all. */
    public long claimed() {
        return (long) LONGS.getVolatile(counters, CLAIMED) & COUNT;
    }

    /** From now on {@link #offer} refuses. */
    public void stop() {
        LONGS.getAndBitwiseOr(counters, CLAIMED, STOPPED);
    }

    /**
     * From now on the queue refuses everything.
     *
     * @return how many places were claimed before: {@link #poll} until {@link #takenUpTo} that
     */
    public long close() {
        return (long) LONGS.getAndBitwiseOr(counters, CLAIMED, STOPPED | CLOSED) & COUNT;
    }

    /** Whether that many places are empty again. */
    public boolean takenUpTo(long count) {
        return taken() >= count;
    }

    /** A chunk's id counts from 0; its array goes on to a later chunk when the consumer has emptied it. */
    private static final class Chunk {
        final long id;
        final @Nullable Object[] slots;
        volatile @Nullable Chunk next;

        Chunk(long id, @Nullable Object[] slots) {
            this.id = id;
            this.slots = slots;
        }
    }
}
