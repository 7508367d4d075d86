package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SegmentLayoutTest {
    /** A range of bytes that belongs to one thing only. */
    private record Part(String name, long from, long bytes) {}

    // r[verify shm.regions]
    @Test
    void theDefaultsAreThoseOfTheSpecification() {
        SegmentLayout layout = SegmentLayout.of(SegmentShape.defaults());
        assertEquals(256, layout.shape().channels());
        assertEquals(layout.shape().toGuest(), layout.shape().toHost());
        DirectionLayout toGuest = layout.toGuest();
        assertEquals(256, toGuest.ringEntries());
        assertEquals(96, toGuest.inlineBytes());
        assertEquals(128, toGuest.entryBytes());
        assertEquals(262_144, toGuest.window());
        assertEquals(
                List.of(new SlotClass(1_024, 64), new SlotClass(16_384, 16), new SlotClass(262_144, 4)),
                toGuest.classes());
        assertEquals(84, toGuest.slots());
        assertEquals(768, toGuest.control());
        assertEquals(1_280, toGuest.credits());
        assertEquals(17_664, toGuest.entries());
        assertEquals(50_432, toGuest.slotWords());
        assertEquals(55_808, toGuest.slotArea());
        assertEquals(1_432_064, toGuest.end());
        assertEquals(1_432_064, layout.toHost().control());
        assertEquals(2_863_360, layout.total());
    }

    // r[verify shm.regions]
    @Test
    void theRegionsOfAnyShapeFollowEachOtherAndAddUpToTheTotal(@Seeded SplittableRandom random) {
        for (int i = 0; i < 2_000; i++) {
            SegmentShape shape = Segments.shape(random);
            SegmentLayout layout = SegmentLayout.of(shape);
            List<Part> regions = new ArrayList<>(List.of(new Part("header", 0, 768)));
            addRegions(regions, layout.toGuest());
            addRegions(regions, layout.toHost());
            long end = 0;
            for (Part region : regions) {
                assertEquals(end, region.from(), () -> region + " of " + shape);
                assertEquals(0, region.from() % 128, () -> region + " of " + shape);
                end += region.bytes();
            }
            assertEquals(layout.total(), end, shape::toString);
        }
    }

    private static void addRegions(List<Part> regions, DirectionLayout at) {
        long words = 64L * at.slots();
        long area = at.classes().stream()
                .mapToLong(slots -> (long) slots.bytes() * slots.count())
                .sum();
        regions.add(new Part("control", at.control(), 512));
        regions.add(new Part("credits", at.credits(), wholePairsOfLines(64L * at.channels())));
        regions.add(new Part("entries", at.entries(), (long) at.ringEntries() * at.entryBytes()));
        regions.add(new Part("slot words", at.slotWords(), wholePairsOfLines(words)));
        regions.add(new Part("slots", at.slotArea(), wholePairsOfLines(area)));
        assertEquals(at.end(), at.slotArea() + wholePairsOfLines(area));
    }

    private static long wholePairsOfLines(long bytes) {
        return (bytes + 127) / 128 * 128;
    }

    // r[verify shm.regions]
    @Test
    void nothingInADirectionOverlaps(@Seeded SplittableRandom random) {
        for (int i = 0; i < 20; i++) {
            SegmentLayout layout = SegmentLayout.of(Segments.shape(random));
            long end = assertDisjoint(layout.toGuest(), 768);
            assertTrue(assertDisjoint(layout.toHost(), end) <= layout.total());
        }
    }

    /** Where the last part ends. */
    private static long assertDisjoint(DirectionLayout at, long start) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Part("head", at.head(), 64));
        parts.add(new Part("tail", at.tail(), 64));
        parts.add(new Part("data event", at.dataEvent(), 64));
        parts.add(new Part("space event", at.spaceEvent(), 64));
        parts.add(new Part("slot event", at.slotEvent(), 64));
        for (int channel = 0; channel < at.channels(); channel++) {
            parts.add(new Part("granted", at.granted(channel), 8));
            parts.add(new Part("credit event", at.creditEvent(channel), 8));
        }
        for (int entry = 0; entry < at.ringEntries(); entry++) {
            parts.add(new Part("entry", at.entry(entry), at.entryBytes()));
        }
        for (int slot = 0; slot < at.slots(); slot++) {
            parts.add(new Part("slot word", at.slotWord(slot), 64));
        }
        for (int slot = 0; slot < at.slots(); slot++) {
            parts.add(new Part("slot", at.slotOffset(slot), at.slotBytes(slot)));
        }
        long end = start;
        for (Part part : parts) {
            long before = end;
            assertTrue(part.from() >= end, () -> part + " begins before " + before);
            end = part.from() + part.bytes();
        }
        assertTrue(end <= at.end(), () -> "past " + at.end());
        return at.end();
    }

    /** What the two sides write without waiting: head and tail, and beside them nothing that the other one writes. */
    // r[verify shm.regions]
    @Test
    void noPairOfLinesIsWrittenByBothSidesOnThePathOfAnInlineFrame(@Seeded SplittableRandom random) {
        for (int i = 0; i < 2_000; i++) {
            SegmentLayout layout = SegmentLayout.of(Segments.shape(random));
            for (DirectionLayout at : List.of(layout.toGuest(), layout.toHost())) {
                assertAlone(at.head(), at);
                assertAlone(at.tail(), at);
                assertEquals(0, at.credits() % 128);
                assertEquals(0, at.entries() % 128);
                assertEquals(0, at.slotWords() % 128);
            }
        }
    }

    private static void assertAlone(int counter, DirectionLayout at) {
        int pair = counter / 128;
        List<Integer> others = new ArrayList<>(List.of(
                at.head(), at.tail(), at.dataEvent(), at.spaceEvent(), at.slotEvent(), at.control() - 1, at.credits()));
        others.remove((Integer) counter);
        others.forEach(other -> assertTrue(other / 128 != pair, () -> counter + " is beside " + other));
    }

    @Test
    void aSlotIsFoundByItsNumberClassByClass() {
        DirectionLayout at = SegmentLayout.of(Segments.SMALL).toHost();
        assertEquals(4, at.slots());
        assertEquals(List.of(0, 1, 1, 1), List.of(at.slotClass(0), at.slotClass(1), at.slotClass(2), at.slotClass(3)));
        assertEquals(at.slotArea(), at.slotOffset(0));
        assertEquals(64, at.slotBytes(0));
        assertEquals(at.slotArea() + 64, at.slotOffset(1));
        assertEquals(192, at.slotBytes(1));
        assertEquals(at.slotArea() + 64 + 2 * 192, at.slotOffset(3));
        assertEquals(at.slotWords() + 3 * 64, at.slotWord(3));
    }

    @Test
    void whatIsNotThereHasNoOffset() {
        SegmentLayout layout = SegmentLayout.of(Segments.SMALL);
        for (DirectionLayout at : List.of(layout.toGuest(), layout.toHost())) {
            for (int outside : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertNoOffset(at, outside, outside, outside);
            }
            assertNoOffset(at, at.slots(), at.channels(), at.ringEntries());
        }
    }

    private static void assertNoOffset(DirectionLayout at, int slot, int channel, int entry) {
        assertThrows(IndexOutOfBoundsException.class, () -> at.slotOffset(slot));
        assertThrows(IndexOutOfBoundsException.class, () -> at.slotBytes(slot));
        assertThrows(IndexOutOfBoundsException.class, () -> at.slotWord(slot));
        assertThrows(IndexOutOfBoundsException.class, () -> at.slotClass(slot));
        assertThrows(IndexOutOfBoundsException.class, () -> at.granted(channel));
        assertThrows(IndexOutOfBoundsException.class, () -> at.creditEvent(channel));
        assertThrows(IndexOutOfBoundsException.class, () -> at.entry(entry));
    }

    @Test
    void aDescriptionListsEveryRegionAndItsSizesAddUp() {
        String text = SegmentLayout.of(SegmentShape.defaults()).describe();
        assertEquals("""
                            0           768  header
                          768           512  to guest: control lines, window of 262,144 bytes
                        1,280        16,384  to guest: credit of 256 channels
                       17,664        32,768  to guest: ring of 256 entries x 128, 96 inline
                       50,432         5,376  to guest: words of 84 slots
                       55,808     1,376,256  to guest: slots 64 x 1,024, 16 x 16,384, 4 x 262,144
                    1,432,064           512  to host: control lines, window of 262,144 bytes
                    1,432,576        16,384  to host: credit of 256 channels
                    1,448,960        32,768  to host: ring of 256 entries x 128, 96 inline
                    1,481,728         5,376  to host: words of 84 slots
                    1,487,104     1,376,256  to host: slots 64 x 1,024, 16 x 16,384, 4 x 262,144
                total         2,863,360 bytes
                """, text);
        assertTrue(SegmentLayout.of(Segments.SMALL).describe().contains("  to guest: slots\n"));
    }
}
