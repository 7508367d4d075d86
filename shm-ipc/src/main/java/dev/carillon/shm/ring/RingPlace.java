package dev.carillon.shm.ring;

import dev.carillon.memory.OrderedBytes;

/**
 * Where a ring lies: offsets from the start of the shared bytes, and its measures.
 *
 * <p>Both counters are 64 bits wide, and only their difference means anything. They may start anywhere, the same on both
 * sides: memory that is all zeros is an empty ring that starts at 0.
 *
 * @param head offset of the sender's counter: entries published
 * @param tail offset of the receiver's counter: entries consumed
 * @param entries offset of the first entry, a multiple of 64
 * @param entryBytes bytes of an entry with its header, a multiple of 64
 * @param capacity entries in the ring, a power of two
 */
public record RingPlace(int head, int tail, int entries, int entryBytes, int capacity) {
    /** The fewest entries: one is for control. */
    public static final int MIN_CAPACITY = 4;

    /** The most entries. */
    public static final int MAX_CAPACITY = 1 << 20;

    private static final int LINE = 64;

    /** Refuses what cannot be a ring. */
    public RingPlace {
        require(
                capacity >= MIN_CAPACITY && capacity <= MAX_CAPACITY && Integer.bitCount(capacity) == 1,
                "a power of two from 4 to 1048576",
                "capacity",
                capacity);
        require(entryBytes >= LINE && entryBytes % LINE == 0, "a multiple of 64 from 64 up", "entryBytes", entryBytes);
        require(entries >= 0 && entries % LINE == 0, "a multiple of 64", "entries", entries);
        require(head >= 0 && head % Long.BYTES == 0, "a multiple of 8", "head", head);
        require(tail >= 0 && tail % Long.BYTES == 0 && tail != head, "a multiple of 8 and not head", "tail", tail);
        require(entries + (long) entryBytes * capacity <= Integer.MAX_VALUE, "small enough", "entryBytes", entryBytes);
    }

    private static void require(boolean holds, String must, String name, int value) {
        if (!holds) {
            throw new IllegalArgumentException("must be " + must + ": " + name + "=" + value);
        }
    }

    /** Entries that data never takes, so that control frames find room. */
    // r[impl shm.ring.capacity]
    public int reserve() {
        return Math.min(Math.max(capacity / 16, 1), 16);
    }

    /** Bytes of payload that fit into an entry. */
    public int inlineBytes() {
        return entryBytes - EntryLayout.HEADER_BYTES;
    }

    /** Where the entry of a position lies. */
    public int offset(long position) {
        return entries + ((int) position & (capacity - 1)) * entryBytes;
    }

    /** Makes an empty ring that starts somewhere else than at 0; for the creator, before the peer can see it. */
    public void begin(OrderedBytes bytes, long start) {
        bytes.putLong(head, start);
        bytes.putLong(tail, start);
    }

    /** Refuses bytes that end before the ring does, so that no later access can be outside. */
    OrderedBytes in(OrderedBytes bytes) {
        long end = Math.max(entries + (long) entryBytes * capacity, Math.max(head, tail) + (long) Long.BYTES);
        if (end > bytes.size()) {
            throw new IllegalArgumentException("outside the region: end=" + end + " size=" + bytes.size());
        }
        return bytes;
    }
}
