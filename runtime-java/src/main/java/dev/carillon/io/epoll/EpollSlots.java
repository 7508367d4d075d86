package dev.carillon.io.epoll;

import dev.carillon.loop.access.WatchedDescriptor;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The table of slots. It uses the place of a slot again, but not its generation, so an event that is still under way for a
 * slot that was freed finds nothing.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.stale-events]
final class EpollSlots {
    private static final int FIRST_SIZE = 16;
    private static final int NONE = -1;

    private @Nullable EpollSlot[] slots = new EpollSlot[FIRST_SIZE];
    private int[] generations = new int[FIRST_SIZE];

    /** For a free place: the next free one. */
    private int[] nextFree = new int[FIRST_SIZE];

    private int firstFree = NONE;
    private int used;

    EpollSlot allocate(int number, @Nullable WatchedDescriptor watch) {
        int index = firstFree;
        if (index == NONE) {
            index = used;
            if (index == slots.length) {
                grow(index * 2);
            }
        }
        EpollSlot slot = new EpollSlot(number, index, generations[index], watch);
        // Nothing fails from here on.
        if (index == used) {
            used++;
        } else {
            firstFree = nextFree[index];
        }
        slots[index] = slot;
        return slot;
    }

    private void grow(int length) {
        @Nullable EpollSlot[] moreSlots = Arrays.copyOf(slots, length);
        int[] moreGenerations = Arrays.copyOf(generations, length);
        nextFree = Arrays.copyOf(nextFree, length);
        generations = moreGenerations;
        slots = moreSlots;
    }

    /** The highest number of slots at any time so far. */
    int highest() {
        return used;
    }

    void free(EpollSlot slot) {
        int index = slot.index;
        if (slots[index] == slot) {
            slots[index] = null;
            // Stays positive, so that an event's data is never negative.
            generations[index] = (generations[index] + 1) & Integer.MAX_VALUE;
            nextFree[index] = firstFree;
            firstFree = index;
        }
    }

    /** The slot that an event is for, or null if it was freed. */
    @Nullable
    EpollSlot find(long data) {
        int index = (int) data;
        if (index < 0 || index >= used) {
            return null;
        }
        EpollSlot slot = slots[index];
        return slot != null && slot.data() == data ? slot : null;
    }

    void forEach(Consumer<EpollSlot> action) {
        for (int i = 0; i < used; i++) {
            EpollSlot slot = slots[i];
            if (slot != null) {
                action.accept(slot);
            }
        }
    }
}
