package dev.carillon.shm.slot;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import java.util.ArrayList;
import java.util.List;

/** Slots at the start of a region, as the tests use them. */
final class Slots {
    private Slots() {}

    /** Classes of a size and a count each. */
    static SlotPlace place(int... sizesAndCounts) {
        return placeAt(0, sizesAndCounts);
    }

    static SlotPlace placeAt(int start, int... sizesAndCounts) {
        int slots = 0;
        for (int i = 1; i < sizesAndCounts.length; i += 2) {
            slots += sizesAndCounts[i];
        }
        int offset = start + slots * SlotPlace.STRIDE;
        List<SlotRange> classes = new ArrayList<>();
        for (int i = 0; i < sizesAndCounts.length; i += 2) {
            classes.add(new SlotRange(offset, sizesAndCounts[i], sizesAndCounts[i + 1]));
            offset += sizesAndCounts[i] * sizesAndCounts[i + 1];
        }
        return new SlotPlace(start, classes);
    }

    static int size(SlotPlace place) {
        SlotRange last = place.classes().get(place.classes().size() - 1);
        return last.offset() + last.bytes() * last.count();
    }

    /** Memory with free slots of a generation. */
    static MemoryRegion region(SlotPlace place, int generation) {
        MemoryRegion region = MemoryRegion.anonymous(size(place));
        place.begin(region.bytes(), generation);
        return region;
    }

    static long word(OrderedBytes bytes, SlotPlace place, int slot) {
        return bytes.getLongVolatile(place.words() + slot * SlotPlace.STRIDE);
    }

    static void setWord(OrderedBytes bytes, SlotPlace place, int slot, long word) {
        bytes.putLongVolatile(place.words() + slot * SlotPlace.STRIDE, word);
    }
}
