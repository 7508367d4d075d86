package dev.carillon.shm.ring;

import dev.carillon.memory.MemoryRegion;

/** A ring of 64-byte entries at the start of a region, as the tests use it. */
final class Rings {
    private static final int HEAD = 0;
    private static final int TAIL = 128;
    private static final int ENTRIES = 256;

    private Rings() {}

    static RingPlace place(int capacity) {
        return new RingPlace(HEAD, TAIL, ENTRIES, 64, capacity);
    }

    static int size(int capacity) {
        return ENTRIES + 64 * capacity;
    }

    /** Memory with an empty ring that starts somewhere. */
    static MemoryRegion region(int capacity, long start) {
        MemoryRegion region = MemoryRegion.anonymous(size(capacity));
        place(capacity).begin(region.bytes(), start);
        return region;
    }
}
