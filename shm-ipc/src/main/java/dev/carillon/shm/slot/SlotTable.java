package dev.carillon.shm.slot;

import dev.carillon.memory.OrderedBytes;

/** The numbers of a {@link SlotPlace}, quick to ask for. */
final class SlotTable {
    private final int words;
    private final int slots;

    /** Per class: its first slot; one more at the end, the number of slots. */
    private final int[] first;

    private final int[] offsets;
    private final int[] sizes;

    /** Refuses bytes that end before the slots do, so that no later access can be outside. */
    SlotTable(SlotPlace place, OrderedBytes bytes) {
        words = place.words();
        slots = place.slots();
        int classes = place.classes().size();
        first = new int[classes + 1];
        offsets = new int[classes];
        sizes = new int[classes];
        long end = slots == 0 ? 0 : words + (long) slots * SlotPlace.STRIDE;
        for (int i = 0; i < classes; i++) {
            SlotRange range = place.classes().get(i);
            first[i + 1] = first[i] + range.count();
            offsets[i] = range.offset();
            sizes[i] = range.bytes();
            end = Math.max(end, range.offset() + (long) range.bytes() * range.count());
        }
        if (end > bytes.size()) {
            throw new IllegalArgumentException("outside the region: end=" + end + " size=" + bytes.size());
        }
    }

    int slots() {
        return slots;
    }

    int classes() {
        return sizes.length;
    }

    /** The first slot of a class. */
    int first(int slotClass) {
        return first[slotClass];
    }

    int count(int slotClass) {
        return first[slotClass + 1] - first[slotClass];
    }

    int sizeOfClass(int slotClass) {
        return sizes[slotClass];
    }

    /** The class of a slot that exists. */
    int classOf(int slot) {
        int slotClass = 0;
        while (slot >= first[slotClass + 1]) {
            slotClass++;
        }
        return slotClass;
    }

    /** The smallest class whose slots have so many bytes; as many as there are classes if none has. */
    int smallestFor(int length) {
        int slotClass = 0;
        while (slotClass < sizes.length && sizes[slotClass] < length) {
            slotClass++;
        }
        return slotClass;
    }

    int word(int slot) {
        return words + slot * SlotPlace.STRIDE;
    }

    int offset(int slot) {
        int slotClass = classOf(slot);
        return offsets[slotClass] + (slot - first[slotClass]) * sizes[slotClass];
    }

    int size(int slot) {
        return sizes[classOf(slot)];
    }
}
