package dev.carillon.shm.segment;

/**
 * Slots of one size.
 *
 * @param bytes of each slot, a multiple of 64
 * @param count how many slots
 */
public record SlotClass(int bytes, int count) {
    /** Refuses what no layout has, with an IllegalArgumentException that says what to take instead. */
    public SlotClass {
        Limits.range("slot bytes", bytes, Limits.LINE, Limits.MAX_SLOT_BYTES, "a slot holds one message");
        Limits.multipleOfLine("slot bytes", bytes, "a slot has whole cache lines of 64 bytes");
        Limits.range("slot count", count, 1, Limits.MAX_SLOT_COUNT, "a class has slots; leave out one without any");
    }
}
