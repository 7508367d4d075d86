package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where slots end: their places, and their generations. */
final class SlotLimitsTest {
    // r[verify shm.slot]
    @ParameterizedTest
    @ValueSource(ints = {0, Integer.MAX_VALUE - 1, -2, -1})
    void generationsWrapWithoutHarm(int start) {
        SlotPlace place = Slots.place(64, 2);
        try (MemoryRegion region = Slots.region(place, start)) {
            SlotPool pool = new SlotPool(region.bytes(), place, start);
            SlotUser user = new SlotUser(region.bytes(), place, start);
            for (int generation = start; generation != start + 4; generation++) {
                for (int i = 0; i < place.slots(); i++) {
                    int slot = pool.claim(1);
                    assertEquals(generation, pool.generation(slot));
                    pool.send(slot);
                    user.hold(slot, generation, 1);
                }
                user.release(0, generation);
                user.release(1, generation);
                assertEquals(SlotWord.of(generation + 1, SlotWord.FREE), Slots.word(region.bytes(), place, 0));
            }
            assertEquals(2, pool.collect());
        }
    }

    @Test
    void eachSlotHasItsOwnBytesWithinItsClass() {
        SlotPlace place = Slots.placeAt(192, 64, 3, 128, 2, 1_024, 4);
        try (MemoryRegion region = Slots.region(place, 0)) {
            SlotPool pool = new SlotPool(region.bytes(), place, 0);
            Set<Integer> lines = new HashSet<>();
            for (int i = 0; i < place.slots(); i++) {
                int slot = pool.claim(0);
                for (int line = 0; line < pool.size(slot); line += 64) {
                    lines.add(pool.offset(slot) + line);
                }
            }
            assertEquals(3 + 2 * 2 + 4 * 16, lines.size());
            assertEquals(
                    192 + 9 * 64, lines.stream().mapToInt(line -> line).min().orElseThrow());
            assertEquals(
                    Slots.size(place) - 64,
                    lines.stream().mapToInt(line -> line).max().orElseThrow());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-64, 64, 1",
        "32, 64, 1",
        "0, 0, 1",
        "0, 32, 1",
        "0, 96, 1",
        "0, -64, 1",
        "0, 64, 0",
        "0, 64, -1",
        "0, 64, 33554432",
        "2147483584, 64, 1",
        "0, 1073741824, 2"
    })
    void aRangeThatCannotBeSlotsIsRefused(int offset, int bytes, int count) {
        assertThrows(IllegalArgumentException.class, () -> new SlotRange(offset, bytes, count));
    }

    @Test
    void aPlaceThatCannotBeSlotsIsRefused() {
        SlotRange small = new SlotRange(640, 64, 1);
        SlotRange large = new SlotRange(1_024, 128, 1);
        assertThrows(IllegalArgumentException.class, () -> new SlotPlace(0, List.of(large, small)));
        assertThrows(IllegalArgumentException.class, () -> new SlotPlace(0, List.of(small, small)));
        assertThrows(IllegalArgumentException.class, () -> new SlotPlace(-64, List.of(small)));
        assertThrows(IllegalArgumentException.class, () -> new SlotPlace(8, List.of(small)));
        assertThrows(IllegalArgumentException.class, () -> new SlotPlace(Integer.MAX_VALUE - 63, List.of(small)));
        List<SlotRange> nine = new ArrayList<>();
        for (int i = 1; i <= 9; i++) {
            nine.add(new SlotRange(1_024, 64 * i, 1));
        }
        assertThrows(IllegalArgumentException.class, () -> new SlotPlace(0, nine));
        assertEquals(8, new SlotPlace(0, nine.subList(0, 8)).slots());
    }

    @Test
    void slotsThatEndBehindTheRegionAreRefused() {
        SlotPlace place = Slots.place(64, 2);
        try (MemoryRegion region = Slots.region(place, 0)) {
            OrderedBytes shorter = region.bytes().slice(0, Slots.size(place) - 64);
            assertThrows(IllegalArgumentException.class, () -> new SlotPool(shorter, place, 0));
            assertThrows(IllegalArgumentException.class, () -> new SlotUser(shorter, place, 0));
            SlotPlace farWords = new SlotPlace(Slots.size(place) - 64, place.classes());
            OrderedBytes exact = region.bytes().slice(0, Slots.size(place));
            assertThrows(IllegalArgumentException.class, () -> new SlotPool(exact, farWords, 0));
        }
    }
}
