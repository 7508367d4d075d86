package dev.carillon.shm.ring;

import dev.carillon.memory.OrderedBytes;

/**
 * The consumer's side of a ring.
 *
 * <pre>{@code
 * int n = Math.min(ring.available(limit), limit);
 * for (int i = 0; i < n; i++) {
 *     header.load(bytes, ring.offset(i), inlineBytes);
 *     ... take the frame ...
 * }
 * ring.release(n);
 * }</pre>
 *
 * <p>It keeps its tail and the last head that it saw in private memory. The shared tail is a copy that it writes and never
 * reads; the shared head it reads only if what it knows is not enough, and believes only if a correct peer can have
 * written it.
 *
 * <p><b>Threading:</b> one thread at a time, each handing over to the next with a happens-before.
 *
 * <p><b>Order:</b> a look at the head is an acquire: the entries before it are seen as they were published. {@link
 * #release} is a release: what was read of the entries is read before the sender writes there again.
 */
// r[impl shm.ring]
public final class RingReceiver {
    /** Two cache lines: processors fetch them in pairs. */
    private static final int APART = 128 / Long.BYTES;

    private static final int TAIL = APART;
    private static final int HEAD = APART + 1;

    private final OrderedBytes bytes;
    private final int headOffset;
    private final int tailOffset;
    private final int entries;
    private final int entryBytes;
    private final int capacity;

    /** TAIL: what was consumed; HEAD: what the sender had published when it was last asked. Far from other threads'. */
    private final long[] own = new long[2 * APART + 2];

    /**
     * The consumer's side of an empty ring.
     *
     * @param start where both counters stand; 0 in fresh memory
     */
    public RingReceiver(OrderedBytes bytes, RingPlace place, long start) {
        this.bytes = place.in(bytes);
        headOffset = place.head();
        tailOffset = place.tail();
        entries = place.entries();
        entryBytes = place.entryBytes();
        capacity = place.capacity();
        own[TAIL] = start;
        own[HEAD] = start;
    }

    /** As {@link #available(int)} for one entry. */
    public int available() {
        return available(1);
    }

    /**
     * How many entries can be read; it looks at the sender's counter if fewer than wanted are known to be there.
     *
     * @throws CounterViolation if the sender's counter is impossible
     */
    public int available(int wanted) {
        int known = known();
        return known >= wanted ? known : published();
    }

    /** Where the entry that comes so many after the last released one lies. */
    public int offset(int ahead) {
        return entries + (((int) own[TAIL] + ahead) & (capacity - 1)) * entryBytes;
    }

    /** How many entries have been released, plus the start. */
    public long position() {
        return own[TAIL];
    }

    /**
     * Gives the oldest entries back to the sender; one store.
     *
     * @param count how many, at most what was last said to be available
     */
    public void release(int count) {
        if (count < 0 || count > known()) {
            throw new IllegalArgumentException("not available: count=" + count + " available=" + known());
        }
        long tail = own[TAIL] + count;
        own[TAIL] = tail;
        bytes.putLongRelease(tailOffset, tail);
    }

    private int known() {
        return (int) (own[HEAD] - own[TAIL]);
    }

    // r[impl shm.ring.capacity]
    private int published() {
        long tail = own[TAIL];
        long before = own[HEAD];
        long head = bytes.getLongAcquire(headOffset);
        // From what it was to a full ring: as an unsigned distance that is one comparison, wherever the counters are.
        if (Long.compareUnsigned(head - before, tail + capacity - before) > 0) {
            throw CounterViolation.ofHead(head, before, tail, capacity);
        }
        own[HEAD] = head;
        return (int) (head - tail);
    }

    @Override
    public String toString() {
        return "RingReceiver[tail=" + own[TAIL] + " head=" + own[HEAD] + " capacity=" + capacity + "]";
    }
}
