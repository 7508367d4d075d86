package dev.carillon.shm.segment;

import static dev.carillon.shm.segment.Segments.refusal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each number at its limits, one below and one above. */
class ShapeLimitsTest {
    private static final DirectionShape ANY = DirectionShape.defaults();

    static Stream<Arguments> ranges() {
        return Stream.of(
                range("channels", 1, 65_535, 1, value -> new SegmentShape((int) value, ANY, ANY)),
                range("ring entries", 4, 1_048_576, 0, value -> new DirectionShape((int) value, 96, 1, List.of())),
                range("inline bytes", 32, 65_504, 64, value -> new DirectionShape(256, (int) value, 1, List.of())),
                range("window", 1, 1L << 40, 1, value -> new DirectionShape(256, 96, value, List.of())),
                range("slot bytes", 64, 1 << 30, 64, value -> new SlotClass((int) value, 1)),
                range("slot count", 1, 1 << 20, 1, value -> new SlotClass(64, (int) value)),
                range("heartbeat", 0, 3_600_000, 1, value -> header((int) value)),
                range("host pid", 1, Integer.MAX_VALUE, 1, value -> new SegmentIdentity(1, 1, (int) value, 1, 1)),
                range("host start time", 0, Long.MAX_VALUE, 1, value -> new SegmentIdentity(1, 1, 1, value, 1)),
                range("peer id", 1, 255, 1, value -> new SegmentIdentity(1, 1, 1, 1, (int) value)),
                range("incarnation", 1, (1 << 24) - 1, 1, value -> LinkWord.reserved((int) value)));
    }

    private static Arguments range(String name, long least, long most, long step, LongConsumer make) {
        return arguments(name, least, most, step, make);
    }

    private static SegmentHeader header(int heartbeat) {
        return new SegmentHeader(Segments.SOMEBODY, SegmentLayout.of(Segments.SMALL), heartbeat);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ranges")
    void aNumberAtItsLimitIsTakenAndOneBeyondIsRefused(
            String name, long least, long most, long step, LongConsumer make) {
        make.accept(least);
        make.accept(least + step);
        make.accept(most);
        make.accept(most - step);
        for (long beyond : new long[] {least - 1, most + 1, -1, 1L << 31, Integer.MIN_VALUE}) {
            long given = most > Integer.MAX_VALUE ? beyond : (int) beyond;
            if (given >= least && given <= most) {
                continue; // beyond another limit only
            }
            String refusal = refusal(() -> make.accept(given));
            assertTrue(refusal.startsWith(name + "=" + given + ": "), refusal);
            assertTrue(refusal.contains("; take " + String.format("%,d to %,d", least, most)), refusal);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7, 255, 257, 1_048_575})
    void aRingThatIsNoPowerOfTwoIsRefusedWithItsNeighbours(int entries) {
        int below = Integer.highestOneBit(entries);
        assertEquals(
                "ring entries=" + entries + ": a ring has a power of two of entries; take " + below + " or "
                        + 2 * below,
                refusal(() -> new DirectionShape(entries, 96, 1, List.of())));
    }

    @Test
    void everyPowerOfTwoIsTaken() {
        for (int entries = 4; entries <= 1 << 20; entries *= 2) {
            assertEquals(entries, new DirectionShape(entries, 96, 1, List.of()).ringEntries());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 64, 95, 97, 127, 128, 65_503})
    void inlineBytesThatLeaveAnEntryWithAPartOfALineAreRefusedWithTheirNeighbours(int bytes) {
        int below = (bytes - 32) / 64 * 64 + 32;
        String refusal = refusal(() -> new DirectionShape(256, bytes, 1, List.of()));
        assertTrue(refusal.startsWith("inline bytes=" + bytes + ": "), refusal);
        assertTrue(refusal.endsWith("; take " + below + " or " + (below + 64)), refusal);
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 127, 1_000, (1 << 30) - 1})
    void slotsWithAPartOfALineAreRefusedWithTheirNeighbours(int bytes) {
        String refusal = refusal(() -> new SlotClass(bytes, 1));
        assertTrue(refusal.startsWith("slot bytes=" + bytes + ": "), refusal);
        assertTrue(refusal.endsWith("; take " + bytes / 64 * 64 + " or " + (bytes / 64 * 64 + 64)), refusal);
    }

    @Test
    void slotClassesAscend() {
        with(64, 128, 192);
        assertTrue(refusal(() -> with(64, 64)).startsWith("slot bytes=64 after 64: "));
        assertTrue(refusal(() -> with(64, 256, 192)).startsWith("slot bytes=192 after 256: "));
    }

    @Test
    void eightSlotClassesAreTakenAndNineAreNot() {
        int[] seven = IntStream.rangeClosed(1, 7).map(i -> i * 64).toArray();
        int[] eight = IntStream.rangeClosed(1, 8).map(i -> i * 64).toArray();
        int[] nine = IntStream.rangeClosed(1, 9).map(i -> i * 64).toArray();
        assertEquals(7, with(seven).slots());
        assertEquals(8, with(eight).slots());
        assertEquals(0, with().slots());
        assertEquals("slot classes=9: the header has room for 8; take fewer sizes", refusal(() -> with(nine)));
    }

    private static DirectionShape with(int... slotBytes) {
        return new DirectionShape(
                256,
                96,
                1,
                IntStream.of(slotBytes)
                        .mapToObj(bytes -> new SlotClass(bytes, 1))
                        .toList());
    }

    @Test
    void aShapeKeepsItsClassesWhateverBecomesOfTheList() {
        List<SlotClass> classes = new ArrayList<>(List.of(new SlotClass(64, 1)));
        DirectionShape shape = new DirectionShape(256, 96, 1, classes);
        classes.clear();
        assertEquals(1, shape.slots());
        assertThrows(
                UnsupportedOperationException.class, () -> shape.slotClasses().clear());
    }

    @Test
    void anIdOfZeroIdentifiesNoLink() {
        new SegmentIdentity(0, 1, 1, 1, 1);
        new SegmentIdentity(1, 0, 1, 1, 1);
        assertTrue(refusal(() -> new SegmentIdentity(0, 0, 1, 1, 1)).startsWith("link id=0: "));
    }

    // r[verify shm.regions]
    @Test
    void aTotalAtItsLimitIsTakenAndOneBeyondIsRefused() {
        int atLimit = Segments.HALF_OF_THE_LARGEST;
        assertEquals(Integer.MAX_VALUE - 4_095 - 128, twoSlotsOf(atLimit - 64).total());
        assertEquals(Integer.MAX_VALUE - 4_095, twoSlotsOf(atLimit).total());
        String refusal = refusal(() -> twoSlotsOf(atLimit + 64));
        assertEquals(
                "total=2147479680: a segment has 2,147,479,552 bytes at most; to the guest go 896, to the host"
                        + " 2,147,478,016: take fewer or smaller slots, fewer ring entries, fewer inline bytes or fewer"
                        + " channels",
                refusal);
    }

    private static SegmentLayout twoSlotsOf(int bytes) {
        return SegmentLayout.of(new SegmentShape(
                1,
                new DirectionShape(4, 32, 1, List.of()),
                new DirectionShape(4, 32, 1, List.of(new SlotClass(bytes, 2)))));
    }

    /** Sums that would come out small, or fitting, in 32 bits. */
    // r[verify shm.regions]
    @Test
    void sizesThatOverflowAnIntAreRefused() {
        assertTooLarge(1, new DirectionShape(1 << 20, 65_504, 1, List.of()));
        assertTooLarge(1, new DirectionShape(4, 32, 1, List.of(new SlotClass(1 << 30, 4))));
        assertTooLarge(1, new DirectionShape(4, 32, 1, List.of(new SlotClass(1 << 12, 1 << 20))));
        List<SlotClass> most = IntStream.rangeClosed(1, 8)
                .mapToObj(i -> new SlotClass((1 << 30) - 64 * (8 - i), 1 << 20))
                .toList();
        assertTooLarge(65_535, new DirectionShape(1 << 20, 65_504, 1, most));
    }

    private static void assertTooLarge(int channels, DirectionShape large) {
        DirectionShape small = new DirectionShape(4, 32, 1, List.of());
        for (SegmentShape shape : List.of(
                new SegmentShape(channels, large, small),
                new SegmentShape(channels, small, large),
                new SegmentShape(channels, large, large))) {
            String refusal = refusal(() -> SegmentLayout.of(shape));
            assertTrue(refusal.startsWith("total="), refusal);
        }
    }
}
