package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a ring ends: its measures, its counters, and what the peer may write. */
final class RingLimitsTest {
    private static final int CAPACITY = 8;
    private static final RingPlace PLACE = Rings.place(CAPACITY);

    // r[verify shm.ring.capacity]
    @ParameterizedTest
    @CsvSource({"4, 3", "8, 7", "16, 15", "32, 30", "256, 240", "1024, 1008", "1048576, 1048560"})
    void dataLeavesEntriesForControl(int capacity, int data) {
        assertEquals(capacity - data, Rings.place(capacity).reserve());
        try (MemoryRegion region = Rings.region(capacity, 0)) {
            RingSender other = new RingSender(region.bytes(), Rings.place(capacity), 0);
            assertEquals(data, other.freeForData());
            assertEquals(capacity, other.freeForControl());
            other.publish(data);
            assertEquals(0, other.freeForData());
            assertEquals(capacity - data, other.freeForControl());
            other.publish(capacity - data);
            assertEquals(0, other.freeForData());
            assertEquals(0, other.freeForControl());
        }
    }

    /** Twice around the ring, one by one and in batches, where the counters pass their limits. */
    // r[verify shm.ring]
    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 31) - 3, (1L << 32) - 3, Long.MAX_VALUE - 3, -3, Long.MIN_VALUE})
    void nothingHappensWhereTheCountersPassALimit(long start) {
        try (MemoryRegion region = Rings.region(CAPACITY, start)) {
            goTwiceAround(region.bytes(), start);
        }
    }

    private static void goTwiceAround(OrderedBytes bytes, long start) {
        RingSender from = new RingSender(bytes, PLACE, start);
        RingReceiver to = new RingReceiver(bytes, PLACE, start);
        long sent = start;
        long taken = start;
        for (int batch = 1; batch <= CAPACITY; batch++) {
            assertEquals(0, to.available());
            assertEquals(CAPACITY - 1, from.freeForData(CAPACITY));
            assertEquals(CAPACITY, from.freeForControl());
            for (int i = 0; i < batch; i++) {
                bytes.putLong(from.offset(i), sent++);
            }
            from.publish(batch);
            assertEquals(CAPACITY - batch, from.freeForControl());
            assertEquals(batch, to.available(CAPACITY));
            for (int i = 0; i < batch; i++) {
                assertEquals(taken++, bytes.getLong(to.offset(i)));
            }
            to.release(batch);
        }
        assertEquals(sent, bytes.getLong(PLACE.head()));
        assertEquals(taken, bytes.getLong(PLACE.tail()));
    }

    /** Three entries were published and two consumed, then a counter jumps; each look at it says so. */
    private static void assertViolation(long start, int counter, long bad, String... parts) {
        try (MemoryRegion region = Rings.region(CAPACITY, start)) {
            OrderedBytes bytes = region.bytes();
            RingSender from = new RingSender(bytes, PLACE, start);
            RingReceiver to = new RingReceiver(bytes, PLACE, start);
            from.publish(3);
            assertEquals(3, to.available());
            to.release(2);
            assertEquals(1, from.unread());
            bytes.putLong(counter, bad);
            Executable look = counter == PLACE.tail() ? from::unread : () -> to.available(CAPACITY);
            CounterViolation found = assertThrows(CounterViolation.class, look);
            for (String part : parts) {
                assertTrue(String.valueOf(found.getMessage()).contains(part), found::toString);
            }
            assertThrows(CounterViolation.class, look);
        }
    }

    // r[verify shm.ring.capacity]
    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 32) - 2, Long.MAX_VALUE - 1, -2, -1})
    void aTailOutsideItsLimitsIsAViolation(long start) {
        for (long bad : new long[] {start + 4, start + 1, start - 1, start + Long.MIN_VALUE, start + (1L << 32) + 2}) {
            assertViolation(start, PLACE.tail(), bad, "faulty", "tail=" + bad, "head=" + (start + 3), "capacity=8");
        }
    }

    // r[verify shm.ring.capacity]
    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 32) - 2, Long.MAX_VALUE - 1, -2, -1})
    void aHeadOutsideItsLimitsIsAViolation(long start) {
        for (long bad : new long[] {start + 11, start + 2, start - 1, start + Long.MIN_VALUE, start + (1L << 32) + 3}) {
            assertViolation(start, PLACE.head(), bad, "faulty", "head=" + bad, "tail=" + (start + 2), "capacity=8");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 128, 256, 64, 3", "0, 128, 256, 64, 2", "0, 128, 256, 64, 0", "0, 128, 256, 64, -8",
                "0, 128, 256, 64, 2097152",
        "0, 128, 256, 32, 8", "0, 128, 256, 96, 8", "0, 128, 256, 0, 8", "0, 128, -64, 64, 8", "0, 128, 32, 64, 8",
        "4, 128, 256, 64, 8", "-8, 128, 256, 64, 8", "0, 4, 256, 64, 8", "0, -8, 256, 64, 8", "0, 0, 256, 64, 8",
        "0, 128, 256, 2048, 1048576"
    })
    void aPlaceThatCannotBeARingIsRefused(int head, int tail, int entries, int entryBytes, int capacity) {
        assertThrows(IllegalArgumentException.class, () -> new RingPlace(head, tail, entries, entryBytes, capacity));
    }

    @Test
    void aRingThatEndsBehindTheRegionIsRefused() {
        try (MemoryRegion region = Rings.region(CAPACITY, 0)) {
            OrderedBytes bytes = region.bytes().slice(0, Rings.size(CAPACITY));
            RingPlace larger = Rings.place(2 * CAPACITY);
            assertThrows(IllegalArgumentException.class, () -> new RingSender(bytes, larger, 0));
            assertThrows(IllegalArgumentException.class, () -> new RingReceiver(bytes, larger, 0));
            RingPlace farTail = new RingPlace(0, bytes.size(), 256, 64, CAPACITY);
            assertThrows(IllegalArgumentException.class, () -> new RingSender(bytes, farTail, 0));
            RingPlace farHead = new RingPlace(bytes.size(), 0, 256, 64, CAPACITY);
            assertThrows(IllegalArgumentException.class, () -> new RingReceiver(bytes, farHead, 0));
        }
    }
}
