package dev.carillon.shm.segment;

/** The bytes of each region of one direction, before it is known that they fit. */
record RegionSizes(long control, long credits, long entries, long slotWords, long slotArea) {
    static RegionSizes of(DirectionShape shape, int channels) {
        long words = 0;
        long area = 0;
        for (SlotClass slots : shape.slotClasses()) {
            words = Math.addExact(words, Math.multiplyExact((long) slots.count(), DirectionLayout.SLOT_WORD_STRIDE));
            area = Math.addExact(area, Math.multiplyExact((long) slots.count(), slots.bytes()));
        }
        return new RegionSizes(
                DirectionLayout.CONTROL_BYTES,
                aligned(Math.multiplyExact((long) channels, DirectionLayout.CREDIT_STRIDE)),
                aligned(Math.multiplyExact((long) shape.ringEntries(), shape.entryBytes())),
                aligned(words),
                aligned(area));
    }

    long total() {
        long inFront = Math.addExact(Math.addExact(control, credits), entries);
        return Math.addExact(inFront, Math.addExact(slotWords, slotArea));
    }

    private static long aligned(long bytes) {
        return Math.addExact(bytes, Limits.ALIGNMENT - 1) & -Limits.ALIGNMENT;
    }
}
