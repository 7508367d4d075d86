package dev.carillon.shm.ring;

import dev.carillon.memory.OrderedBytes;

/**
 * The producer's side of a ring.
 *
 * <pre>{@code
 * int n = Math.min(ring.freeForData(wanted), wanted);
 * for (int i = 0; i < n; i++) {
 *     int entry = ring.offset(i);
 *     ... write the entry there ...
 * }
 * ring.publish(n);
 * }</pre>
 *
 * <p>It keeps its head and the last tail that it saw in private memory. The shared head is a copy that it writes and never
 * reads; the shared tail it reads only if what it knows is not enough, and believes only if a correct peer can have
 * written it.
 *
 * <p><b>Threading:</b> one thread at a time, each handing over to the next with a happens-before.
 *
 * <p><b>Order:</b> {@link #publish} is a release: whoever sees the head sees what was written before. A look at the tail is
 * an acquire: what is written into an entry that was free comes after the receiver's reads of it.
 */
// r[impl shm.ring]
public final class RingSender {
    /** Two cache lines: processors fetch them in pairs. */
    private static final int APART = 128 / Long.BYTES;

    private static final int HEAD = APART;
    private static final int TAIL = APART + 1;

    private final OrderedBytes bytes;
    private final int headOffset;
    private final int tailOffset;
    private final int entries;
    private final int entryBytes;
    private final int capacity;
    private final int reserve;

    /** HEAD: what was published; TAIL: what the receiver had consumed when it was last asked. Far from other threads'. */
    private final long[] own = new long[2 * APART + 2];

    /**
     * The producer's side of an empty ring.
     *
     * @param start where both counters stand; 0 in fresh memory
     */
    public RingSender(OrderedBytes bytes, RingPlace place, long start) {
        this.bytes = place.in(bytes);
        headOffset = place.head();
        tailOffset = place.tail();
        entries = place.entries();
        entryBytes = place.entryBytes();
        capacity = place.capacity();
        reserve = place.reserve();
        own[HEAD] = start;
        own[TAIL] = start;
    }

    /** As {@link #freeForData(int)} for one entry. */
    public int freeForData() {
        return freeForData(1);
    }

    /**
     * How many entries data may take; it looks at the receiver's counter if fewer than wanted are known to be free.
     *
     * @throws CounterViolation if the receiver's counter is impossible
     */
    // r[impl shm.ring.capacity]
    public int freeForData(int wanted) {
        int free = knownFree() - reserve;
        if (free < wanted) {
            free = free() - reserve;
        }
        return Math.max(free, 0);
    }

    /** As {@link #freeForControl(int)} for one entry. */
    public int freeForControl() {
        return freeForControl(1);
    }

    /**
     * How many entries control frames may take, which is all that are free; it looks at the receiver's counter if fewer than
     * wanted are known to be free.
     *
     * @throws CounterViolation if the receiver's counter is impossible
     */
    public int freeForControl(int wanted) {
        int free = knownFree();
        return free >= wanted ? free : free();
    }

    /** How many published entries the receiver has not consumed, by a look at its counter. */
    public int unread() {
        return capacity - free();
    }

    /** Where the entry that comes so many after the last published one lies. */
    public int offset(int ahead) {
        return entries + (((int) own[HEAD] + ahead) & (capacity - 1)) * entryBytes;
    }

    /** How many entries have been published, plus the start. */
    public long position() {
        return own[HEAD];
    }

    /**
     * Lets the receiver see the next entries, with all that was written before; one store.
     *
     * @param count how many, at most what was last said to be free
     */
    public void publish(int count) {
        if (count < 0 || count > knownFree()) {
            throw new IllegalArgumentException("not free: count=" + count + " free=" + knownFree());
        }
        long head = own[HEAD] + count;
        own[HEAD] = head;
        bytes.putLongRelease(headOffset, head);
    }

    private int knownFree() {
        return capacity - (int) (own[HEAD] - own[TAIL]);
    }

    private int free() {
        long head = own[HEAD];
        long before = own[TAIL];
        long tail = bytes.getLongAcquire(tailOffset);
        // From what it was to our head: as an unsigned distance that is one comparison, wherever the counters are.
        if (Long.compareUnsigned(tail - before, head - before) > 0) {
            throw CounterViolation.ofTail(tail, before, head, capacity);
        }
        own[TAIL] = tail;
        return capacity - (int) (head - tail);
    }

    @Override
    public String toString() {
        return "RingSender[head=" + own[HEAD] + " tail=" + own[TAIL] + " capacity=" + capacity + "]";
    }
}
