package dev.carillon.shm.slot;

import dev.carillon.memory.OrderedBytes;
import java.util.List;

/**
 * Where the slots of a direction lie: a word for each, and their bytes, class by class. They are numbered through all
 * classes, from 0.
 *
 * <p>Memory that is all zeros has free slots of generation 0.
 *
 * @param words offset of the first word, a multiple of 64; each has a cache line of its own
 * @param classes at most 8, the smallest slots first; none is fine
 */
public record SlotPlace(int words, List<SlotRange> classes) {
    /** From the word of a slot to that of the next one. */
    public static final int STRIDE = 64;

    /** The most classes. */
    public static final int MAX_CLASSES = 8;

    /** Refuses what cannot be slots. */
    public SlotPlace {
        classes = List.copyOf(classes);
        if (classes.size() > MAX_CLASSES) {
            throw new IllegalArgumentException("there are at most 8 classes: " + classes);
        }
        for (int i = 1; i < classes.size(); i++) {
            if (classes.get(i).bytes() <= classes.get(i - 1).bytes()) {
                throw new IllegalArgumentException("classes are ordered by the size of their slots: " + classes);
            }
        }
        long slots = classes.stream().mapToLong(SlotRange::count).sum();
        if (words < 0 || words % STRIDE != 0 || words + slots * STRIDE > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the words begin at a multiple of 64 and end below 2^31: words=" + words + " slots=" + slots);
        }
    }

    /** How many slots there are. */
    public int slots() {
        return classes.stream().mapToInt(SlotRange::count).sum();
    }

    /** Makes free slots of another generation than 0; for the creator, before the peer can see them. */
    public void begin(OrderedBytes bytes, int generation) {
        for (int slot = 0; slot < slots(); slot++) {
            bytes.putLong(words + slot * STRIDE, SlotWord.of(generation, SlotWord.FREE));
        }
    }
}
