package dev.carillon.shm.slot;

import dev.carillon.memory.OrderedBytes;

/**
 * How many slots of a class are in which state, by their shared words; for who looks on and belongs to neither side.
 *
 * @param free with the sender
 * @param claimed being filled
 * @param inFlight filled, not taken by the receiver
 * @param held with the receiver
 * @param unknown in no state that there is
 */
public record SlotCounts(int free, int claimed, int inFlight, int held, int unknown) {
    /** Counts the slots of a class; words that change meanwhile are counted before or after. */
    public static SlotCounts of(OrderedBytes bytes, SlotPlace place, int slotClass) {
        SlotTable table = new SlotTable(place, bytes);
        int[] counts = new int[5];
        for (int i = 0; i < table.count(slotClass); i++) {
            int state = SlotWord.state(bytes.getLongOpaque(table.word(table.first(slotClass) + i)));
            counts[state >= 0 && state < 4 ? state : 4]++;
        }
        return new SlotCounts(counts[0], counts[1], counts[2], counts[3], counts[4]);
    }

    /** All of them. */
    public int sum() {
        return free + claimed + inFlight + held + unknown;
    }
}
