package dev.carillon.shm.segment;

import static dev.carillon.shm.segment.LinkState.ATTACHED;
import static dev.carillon.shm.segment.LinkState.DEAD;
import static dev.carillon.shm.segment.LinkState.GOODBYE_GUEST;
import static dev.carillon.shm.segment.LinkState.GOODBYE_HOST;
import static dev.carillon.shm.segment.LinkState.RESERVED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Seeded;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkWordTest {
    private static final int[] PIDS = {0, 1, 4_194_304, Integer.MAX_VALUE};
    private static final int[] INCARNATIONS = {1, 2, 255, 256, LinkWord.MAX_INCARNATION};

    // r[verify shm.link-word]
    @ParameterizedTest
    @EnumSource
    void aWordSaysWhatItWasMadeOf(LinkState state) {
        for (int pid : PIDS) {
            for (int incarnation : INCARNATIONS) {
                if (pid == 0 ? needsGuest(state) : state == RESERVED) {
                    String refusal = Segments.refusal(() -> LinkWord.of(state, pid, incarnation));
                    assertTrue(refusal.startsWith("guest pid=" + pid + ": "), refusal);
                    continue;
                }
                long word = LinkWord.of(state, pid, incarnation);
                assertTrue(LinkWord.isValid(word));
                assertEquals(word, LinkWord.check(word));
                assertEquals(state, LinkWord.state(word));
                assertEquals(pid, LinkWord.pid(word));
                assertEquals(incarnation, LinkWord.incarnation(word));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> LinkWord.of(state, -1, 1));
        assertThrows(IllegalArgumentException.class, () -> LinkWord.of(state, Integer.MIN_VALUE, 1));
    }

    private static boolean needsGuest(LinkState state) {
        return state == ATTACHED || state == GOODBYE_GUEST;
    }

    // r[verify shm.link-word]
    @Test
    void theBitsAreThoseOfTheSpecification() {
        assertEquals(0x0000_0000_0000_0101L, LinkWord.reserved(1));
        assertEquals(0x0000_1267_0000_0102L, LinkWord.of(ATTACHED, 4_711, 1));
        assertEquals(0x7fff_ffff_ffff_ff03L, LinkWord.of(GOODBYE_HOST, Integer.MAX_VALUE, LinkWord.MAX_INCARNATION));
        assertEquals(0x0000_0001_0000_0204L, LinkWord.of(GOODBYE_GUEST, 1, 2));
        assertEquals(0x0000_0000_0000_0105L, LinkWord.of(DEAD, 0, 1));
    }

    // r[verify shm.link-word]
    @Test
    void everyStateButFiveIsCorruption() {
        for (int code = 0; code < 256; code++) {
            long withGuest = 1L << 32 | 1L << 8 | code;
            long without = 1L << 8 | code;
            assertEquals(code >= 2 && code <= 5, LinkWord.isValid(withGuest), Long.toHexString(withGuest));
            assertEquals(code == 1 || code == 3 || code == 5, LinkWord.isValid(without), Long.toHexString(without));
        }
    }

    // r[verify shm.link-word]
    @ParameterizedTest
    @ValueSource(
            longs = {
                0, // never written
                -1,
                0x0000_0000_0000_0001L, // no incarnation
                0x0000_0001_0000_0002L,
                0x0000_0001_0000_0101L, // reserved, with a guest
                0x0000_0000_0000_0102L, // attached, without one
                0x0000_0000_0000_0104L,
                0x8000_0000_0000_0102L, // a negative pid
                0xffff_ffff_0000_0103L,
                0x8000_0001_0000_0105L
            })
    void aWordWithoutMeaningIsRefusedByEveryFunction(long word) {
        assertFalse(LinkWord.isValid(word));
        assertCorrupt(() -> LinkWord.check(word));
        assertCorrupt(() -> LinkWord.state(word));
        assertCorrupt(() -> LinkWord.pid(word));
        assertCorrupt(() -> LinkWord.incarnation(word));
        assertCorrupt(() -> LinkWord.attached(word, 1));
        assertCorrupt(() -> LinkWord.with(word, DEAD));
        assertCorrupt(() -> LinkWord.checkStep(word, LinkWord.reserved(1)));
        assertCorrupt(() -> LinkWord.checkStep(LinkWord.reserved(1), word));
        assertTrue(LinkWord.describe(word).startsWith(String.format("%016x (state ", word)));
    }

    private static void assertCorrupt(Runnable call) {
        FaultySegmentException e = assertThrows(FaultySegmentException.class, call::run);
        assertEquals(SegmentFault.LINK_WORD, e.fault());
    }

    // r[verify shm.link-word]
    @Test
    void anyWordIsRefusedOrMadeOfItsParts(@Seeded SplittableRandom random) {
        for (int i = 0; i < 100_000; i++) {
            long word = random.nextLong();
            long likely = random.nextBoolean() ? word & ~0xf8L : word & 0x7fff_ffff_ffff_ff07L;
            if (LinkWord.isValid(likely)) {
                assertEquals(
                        likely,
                        LinkWord.of(LinkWord.state(likely), LinkWord.pid(likely), LinkWord.incarnation(likely)));
            } else {
                assertCorrupt(() -> LinkWord.check(likely));
            }
        }
    }

    // r[verify shm.link-word]
    @Test
    void aLinkOnlyGoesForward() {
        for (LinkState from : LinkState.values()) {
            long word = LinkWord.of(from, from == RESERVED ? 0 : 7, 3);
            for (LinkState to : LinkState.values()) {
                assertEquals(after(from).contains(to), from.mayBecome(to), () -> from + " to " + to);
                if (to == ATTACHED) {
                    continue; // by attached, since it brings a pid
                }
                if (from.mayBecome(to)) {
                    assertEquals(LinkWord.of(to, LinkWord.pid(word), 3), LinkWord.with(word, to));
                } else {
                    assertThrows(IllegalStateException.class, () -> LinkWord.with(word, to));
                }
            }
        }
    }

    private static Set<LinkState> after(LinkState state) {
        return switch (state) {
            case RESERVED -> EnumSet.of(ATTACHED, GOODBYE_HOST, DEAD);
            case ATTACHED -> EnumSet.of(GOODBYE_HOST, GOODBYE_GUEST, DEAD);
            case GOODBYE_HOST -> EnumSet.of(GOODBYE_GUEST, DEAD);
            case GOODBYE_GUEST -> EnumSet.of(DEAD);
            case DEAD -> EnumSet.noneOf(LinkState.class);
        };
    }

    // r[verify shm.link-word]
    @Test
    void aGuestAttachesToAReservedLinkOnly() {
        assertEquals(LinkWord.of(ATTACHED, 99, 5), LinkWord.attached(LinkWord.reserved(5), 99));
        for (LinkState state : EnumSet.complementOf(EnumSet.of(RESERVED))) {
            IllegalStateException e =
                    assertThrows(IllegalStateException.class, () -> LinkWord.attached(LinkWord.of(state, 7, 5), 99));
            assertTrue(String.valueOf(e.getMessage()).startsWith("state=" + state + ": "), e::getMessage);
        }
        assertThrows(IllegalArgumentException.class, () -> LinkWord.attached(LinkWord.reserved(5), 0));
        assertThrows(IllegalArgumentException.class, () -> LinkWord.with(LinkWord.reserved(5), ATTACHED));
    }

    // r[verify shm.link-word]
    @Test
    void aStepKeepsTheIncarnationAndTheGuest() {
        long reserved = LinkWord.reserved(5);
        long attached = LinkWord.attached(reserved, 99);
        long left = LinkWord.with(attached, GOODBYE_GUEST);
        for (long[] step : new long[][] {
            {reserved, reserved},
            {reserved, attached},
            {reserved, left}, // attached and left again, between two looks
            {reserved, LinkWord.with(attached, GOODBYE_HOST)},
            {reserved, LinkWord.with(reserved, DEAD)},
            {attached, left},
            {LinkWord.with(attached, GOODBYE_HOST), left},
            {left, LinkWord.with(left, DEAD)}
        }) {
            assertEquals(step[1], LinkWord.checkStep(step[0], step[1]));
        }
        for (long[] step : new long[][] {
            {attached, reserved},
            {left, attached},
            {left, LinkWord.of(GOODBYE_HOST, 99, 5)},
            {LinkWord.with(left, DEAD), left},
            {attached, LinkWord.of(ATTACHED, 98, 5)},
            {attached, LinkWord.of(GOODBYE_GUEST, 98, 5)},
            {attached, LinkWord.of(DEAD, 0, 5)},
            {attached, LinkWord.of(GOODBYE_GUEST, 99, 6)},
            {reserved, LinkWord.reserved(6)},
            {reserved, LinkWord.of(ATTACHED, 99, 4)}
        }) {
            assertCorrupt(() -> LinkWord.checkStep(step[0], step[1]));
        }
    }

    // r[verify shm.link-word]
    @Test
    void incarnationsBeginAgainAfterTheLast() {
        assertEquals(1, LinkWord.nextIncarnation(0));
        assertEquals(2, LinkWord.nextIncarnation(1));
        assertEquals(16_777_215, LinkWord.nextIncarnation(16_777_214));
        assertEquals(1, LinkWord.nextIncarnation(16_777_215));
        assertThrows(IllegalArgumentException.class, () -> LinkWord.nextIncarnation(-1));
        assertThrows(IllegalArgumentException.class, () -> LinkWord.nextIncarnation(16_777_216));
    }
}
