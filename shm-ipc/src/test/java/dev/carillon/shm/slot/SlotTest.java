package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The single steps of slots: two of 64 bytes, two of 192, one of 1,024. */
final class SlotTest {
    private static final SlotPlace PLACE = Slots.place(64, 2, 192, 2, 1_024, 1);

    private final MemoryRegion region = Slots.region(PLACE, 0);
    private final OrderedBytes bytes = region.bytes();
    private final SlotPool pool = new SlotPool(bytes, PLACE, 0);
    private final SlotUser user = new SlotUser(bytes, PLACE, 0);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private void assertWord(int slot, int generation, int state) {
        assertEquals(
                SlotWord.describe(SlotWord.of(generation, state)), SlotWord.describe(Slots.word(bytes, PLACE, slot)));
    }

    private int sendOne(int length) {
        int slot = pool.claim(length);
        pool.send(slot);
        return slot;
    }

    // r[verify shm.slot]
    @Test
    void aSlotGoesThroughItsStatesAndComesBackInTheNextGeneration() {
        int slot = pool.claim(10);
        assertWord(slot, 0, SlotWord.CLAIMED);
        pool.send(slot);
        assertWord(slot, 0, SlotWord.IN_FLIGHT);
        assertEquals(pool.offset(slot), user.hold(slot, pool.generation(slot), 10));
        assertWord(slot, 0, SlotWord.HELD);
        assertEquals(1, user.held());
        assertEquals(0, pool.collect());
        user.release(slot, 0);
        assertWord(slot, 1, SlotWord.FREE);
        assertEquals(0, user.held());
        assertEquals(1, pool.away());
        assertEquals(1, pool.collect());
        assertEquals(0, pool.away());
        assertEquals(1, pool.generation(slot));
        assertEquals(slot, sendOne(10));
        assertWord(slot, 1, SlotWord.IN_FLIGHT);
        user.hold(slot, 1, 64);
    }

    // r[verify shm.slot.classes]
    @Test
    void aMessageTakesTheSmallestClassThatFitsThenALargerOne() {
        assertEquals(64, pool.size(pool.claim(0)));
        assertEquals(192, pool.size(pool.claim(65)));
        assertEquals(64, pool.size(pool.claim(64)));
        assertEquals(192, pool.size(pool.claim(1)));
        assertEquals(1_024, pool.size(pool.claim(1)));
        assertEquals(SlotPool.NONE, pool.claim(1));
        assertEquals(5, pool.claimed());
    }

    // r[verify shm.slot.classes]
    @Test
    void aMessageThatFitsNowhereIsTooLargeAndClaimsNothing() {
        assertEquals(SlotPool.TOO_LARGE, pool.claim(1_025));
        assertEquals(SlotPool.TOO_LARGE, pool.claim(Integer.MAX_VALUE));
        assertEquals(0, pool.claimed());
        assertEquals(1_024, pool.maxLength());
        assertEquals(4, pool.claim(1_024));
        assertEquals(SlotPool.NONE, pool.claim(1_024));
        assertEquals(SlotPool.TOO_LARGE, pool.claim(1_025));
        assertThrows(IllegalArgumentException.class, () -> pool.claim(-1));
    }

    // r[verify shm.slot.classes]
    @Test
    void withoutSlotsEveryMessageIsTooLarge() {
        SlotPool none = new SlotPool(bytes, Slots.place(), 0);
        assertEquals(SlotPool.TOO_LARGE, none.claim(0));
        assertEquals(0, none.maxLength());
        assertEquals(0, none.collect());
        SlotUser nobody = new SlotUser(bytes, Slots.place(), 0);
        assertThrows(SlotViolation.class, () -> nobody.hold(0, 0, 0));
    }

    /** A smaller class that has a slot again is preferred to a larger one with free slots. */
    // r[verify shm.slot.classes]
    @Test
    void aSlotThatCameBackIsPreferredToALargerOne() {
        int first = sendOne(1);
        sendOne(1);
        user.hold(first, 0, 1);
        user.release(first, 0);
        assertEquals(first, pool.claim(1));
        assertEquals(192, pool.size(pool.claim(1)));
    }

    // r[verify shm.slot]
    @Test
    void slotsThatComeBackInAnyOrderAreFound() {
        int first = sendOne(1_000);
        assertEquals(4, first);
        int second = sendOne(100);
        int third = sendOne(100);
        user.hold(first, 0, 1);
        user.hold(second, 0, 1);
        user.hold(third, 0, 1);
        assertEquals(SlotPool.NONE, pool.claim(100));
        user.release(third, 0);
        assertEquals(third, pool.claim(100));
        assertEquals(SlotPool.NONE, pool.claim(100));
        user.release(first, 0);
        user.release(second, 0);
        assertEquals(second, pool.claim(100));
        assertEquals(first, pool.claim(100));
    }

    // r[verify shm.slot]
    @Test
    void anAbortedSlotIsFreeInItsGeneration() {
        int slot = pool.claim(1);
        pool.abort(slot);
        assertWord(slot, 0, SlotWord.FREE);
        assertEquals(slot, pool.claim(1));
        assertEquals(0, pool.generation(slot));
        pool.send(slot);
        user.hold(slot, 0, 1);
    }

    @Test
    void aSlotIsSentOrAbortedOnce() {
        int slot = pool.claim(1);
        pool.send(slot);
        assertThrows(IllegalStateException.class, () -> pool.send(slot));
        assertThrows(IllegalStateException.class, () -> pool.abort(slot));
        int other = pool.claim(1);
        pool.abort(other);
        assertThrows(IllegalStateException.class, () -> pool.abort(other));
        assertThrows(IllegalStateException.class, () -> pool.send(other));
        assertEquals(5, pool.free() + pool.away());
    }

    // r[verify shm.slot]
    @Test
    void aSecondReleaseNeverHitsALaterUse() {
        int slot = sendOne(1);
        user.hold(slot, 0, 1);
        user.release(slot, 0);
        assertThrows(IllegalStateException.class, () -> user.release(slot, 0));
        assertEquals(1, pool.collect());
        assertEquals(slot, sendOne(1));
        user.hold(slot, 1, 1);
        assertThrows(IllegalStateException.class, () -> user.release(slot, 0));
        assertEquals(1, user.held());
        assertWord(slot, 1, SlotWord.HELD);
    }

    @Test
    void theCountsOfBothSidesAndOfTheSharedWordsAgree() {
        assertEquals("SlotPool[slots=5 free=5 claimed=0 away=0]", pool.toString());
        int held = sendOne(1);
        user.hold(held, 0, 1);
        sendOne(1);
        pool.claim(100);
        assertEquals("SlotPool[slots=5 free=2 claimed=1 away=2]", pool.toString());
        assertEquals("SlotUser[slots=5 held=1]", user.toString());
        assertEquals(0, pool.free(0));
        assertEquals(1, pool.free(1));
        assertEquals(new SlotCounts(0, 0, 1, 1, 0), SlotCounts.of(bytes, PLACE, 0));
        assertEquals(new SlotCounts(1, 1, 0, 0, 0), SlotCounts.of(bytes, PLACE, 1));
        Slots.setWord(bytes, PLACE, 4, SlotWord.of(0, 4));
        assertEquals(new SlotCounts(0, 0, 0, 0, 1), SlotCounts.of(bytes, PLACE, 2));
        assertEquals(1, SlotCounts.of(bytes, PLACE, 2).sum());
    }

    private void assertHoldRefused(int slot, int generation, int length, String part) {
        SlotViolation found = assertThrows(SlotViolation.class, () -> user.hold(slot, generation, length));
        assertTrue(String.valueOf(found.getMessage()).contains(part), found::toString);
    }

    // r[verify shm.slot]
    @Test
    void aReferenceThatNoCorrectPeerMakesIsAViolation() {
        int slot = sendOne(1);
        assertHoldRefused(-1, 0, 1, "there are 5 slots");
        assertHoldRefused(5, 0, 1, "there are 5 slots");
        assertHoldRefused(Integer.MIN_VALUE, 0, 1, "there are 5 slots");
        assertHoldRefused(slot, 0, 65, "64 bytes");
        assertHoldRefused(slot, 0, -1, "64 bytes");
        assertHoldRefused(slot, 1, 1, "FREE generation=0");
        assertHoldRefused(slot, -1, 1, "generation=4294967295");
        assertHoldRefused(slot + 1, 0, 1, "expected IN_FLIGHT");
        pool.claim(1);
        assertHoldRefused(slot + 1, 0, 1, "is CLAIMED");
        assertWord(slot, 0, SlotWord.IN_FLIGHT);
        user.hold(slot, 0, 64);
        assertHoldRefused(slot, 0, 1, "HELD generation=0");
        user.release(slot, 0);
        assertHoldRefused(slot, 0, 1, "FREE generation=1");
    }

    private void assertWordRefused(int slot, long word, Runnable use) {
        long before = Slots.word(bytes, PLACE, slot);
        Slots.setWord(bytes, PLACE, slot, word);
        SlotViolation found = assertThrows(SlotViolation.class, use::run);
        assertTrue(String.valueOf(found.getMessage()).contains("is " + SlotWord.describe(word)), found::toString);
        Slots.setWord(bytes, PLACE, slot, before);
    }

    // r[verify shm.slot]
    @Test
    void theSenderTrustsNoWordThatThePeerCanWrite() {
        assertWordRefused(4, SlotWord.of(1, SlotWord.FREE), () -> pool.claim(1_024));
        assertWordRefused(4, SlotWord.of(0, SlotWord.HELD), () -> pool.claim(1_024));
        assertEquals(4, pool.claim(1_024));
        assertWordRefused(4, SlotWord.of(0, SlotWord.FREE), () -> pool.send(4));
        assertWordRefused(4, SlotWord.of(1, SlotWord.CLAIMED), () -> pool.abort(4));
        pool.send(4);
        assertWordRefused(4, SlotWord.of(0, SlotWord.FREE), pool::collect);
        assertWordRefused(4, SlotWord.of(2, SlotWord.FREE), pool::collect);
        assertWordRefused(4, SlotWord.of(1, SlotWord.HELD), pool::collect);
        assertWordRefused(4, SlotWord.of(0, SlotWord.CLAIMED), () -> pool.claim(1_024));
        assertWordRefused(4, SlotWord.of(0, 4), pool::collect);
        assertWordRefused(4, SlotWord.of(0, -1), pool::collect);
        user.hold(4, 0, 1);
        assertEquals(0, pool.collect());
        assertWordRefused(4, SlotWord.of(0, SlotWord.IN_FLIGHT), pool::collect);
        user.release(4, 0);
        assertEquals(1, pool.collect());
    }

    // r[verify shm.slot]
    @Test
    void theReceiverTrustsNoWordThatThePeerCanWrite() {
        int slot = sendOne(1);
        assertWordRefused(slot, SlotWord.of(0, SlotWord.HELD), () -> user.hold(slot, 0, 1));
        assertWordRefused(slot, SlotWord.of(1, SlotWord.IN_FLIGHT), () -> user.hold(slot, 0, 1));
        user.hold(slot, 0, 1);
        assertWordRefused(slot, SlotWord.of(0, SlotWord.IN_FLIGHT), () -> user.release(slot, 0));
        assertFalse(user.held() > 0, "what is released is not held, whatever the word says");
    }
}
