package dev.carillon.io.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EpollSlotsTest {
    private final EpollSlots slots = new EpollSlots();

    // r[verify io.stale-events]
    @Test
    void anEventForAFreedSlotFindsNothingAlsoWhenItsPlaceIsTakenAgain() {
        EpollSlot old = slots.allocate(7, null);
        assertSame(old, slots.find(old.data()));
        slots.free(old);
        assertNull(slots.find(old.data()));
        EpollSlot next = slots.allocate(7, null);
        assertEquals(old.index, next.index);
        assertNotEquals(old.data(), next.data());
        assertNull(slots.find(old.data()));
        assertSame(next, slots.find(next.data()));
        slots.free(old);
        assertSame(next, slots.find(next.data()));
    }

    @Test
    void dataThatWasNeverGivenFindsNothing() {
        slots.allocate(7, null);
        for (long data : new long[] {-1, 1, Long.MIN_VALUE, 1L << 32, Integer.MAX_VALUE}) {
            assertNull(slots.find(data));
        }
    }

    @Test
    void placesAreUsedAgain() {
        List<EpollSlot> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(slots.allocate(i, null));
        }
        all.forEach(slots::free);
        for (int i = 0; i < 100; i++) {
            assertEquals(99 - i, slots.allocate(i, null).index);
        }
    }
}
