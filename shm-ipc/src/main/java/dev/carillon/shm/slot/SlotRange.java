package dev.carillon.shm.slot;

/**
 * The slots of one class: equally large, one behind the other.
 *
 * @param offset where the first one lies, a multiple of 64
 * @param bytes of each, a multiple of 64
 * @param count how many there are
 */
public record SlotRange(int offset, int bytes, int count) {
    private static final int LINE = 64;

    /** Refuses what cannot be slots. */
    public SlotRange {
        boolean fits = offset >= 0 && bytes > 0 && count > 0 && offset + (long) bytes * count <= Integer.MAX_VALUE;
        if (!fits || offset % LINE != 0 || bytes % LINE != 0) {
            throw new IllegalArgumentException("slots have a multiple of 64 bytes, begin at one, and end below 2^31:"
                    + " offset=" + offset + " bytes=" + bytes + " count=" + count);
        }
    }
}
