package dev.carillon.shm.slot;

import java.util.Arrays;

/**
 * The slots that the sender has sent and not found free again: a list for each class, in the order of sending, which is
 * most often the order in which they come back.
 */
final class SentSlots {
    /** In place of a slot: there is none. */
    static final int NONE = -1;

    /** Per slot. */
    private final int[] next;

    private final int[] previous;

    /** Per class. */
    private final int[] oldest;

    private final int[] newest;
    private int count;

    SentSlots(SlotTable table) {
        next = new int[table.slots()];
        previous = new int[table.slots()];
        oldest = new int[table.classes()];
        newest = new int[table.classes()];
        Arrays.fill(oldest, NONE);
        Arrays.fill(newest, NONE);
    }

    int count() {
        return count;
    }

    int oldest(int slotClass) {
        return oldest[slotClass];
    }

    /** The one that was sent after a slot, or NONE. */
    int next(int slot) {
        return next[slot];
    }

    void add(int slotClass, int slot) {
        int last = newest[slotClass];
        previous[slot] = last;
        next[slot] = NONE;
        if (last == NONE) {
            oldest[slotClass] = slot;
        } else {
            next[last] = slot;
        }
        newest[slotClass] = slot;
        count++;
    }

    void remove(int slotClass, int slot) {
        int before = previous[slot];
        int after = next[slot];
        if (before == NONE) {
            oldest[slotClass] = after;
        } else {
            next[before] = after;
        }
        if (after == NONE) {
            newest[slotClass] = before;
        } else {
            previous[after] = before;
        }
        count--;
    }
}
