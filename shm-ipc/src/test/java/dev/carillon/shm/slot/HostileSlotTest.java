package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A peer that writes what it likes into the words of slots, and names slots as it likes. */
final class HostileSlotTest {
    private static final SlotPlace PLACE = Slots.place(64, 4, 192, 3, 1_024, 2);
    private static final int WRITES = Boolean.getBoolean("carillon.stress") ? 2_000_000 : 100_000;

    private static final int STEPS = 100;
    private static final int LINKS = WRITES / STEPS * 4;

    /** A state that comes close, in a generation that comes close; or anything. */
    private static long garbage(SplittableRandom random, int generation) {
        return random.nextInt(8) == 0
                ? random.nextLong()
                : SlotWord.of(generation + random.nextInt(-1, 2), random.nextInt(-1, 5));
    }

    // r[verify shm.slot]
    @Test
    void aPoolGivesOutNoSlotTwiceWhateverTheWordsSay(@Seeded SplittableRandom random) {
        int violations = 0;
        int given = 0;
        try (MemoryRegion region = Slots.region(PLACE, -1)) {
            OrderedBytes bytes = region.bytes();
            for (int i = 0; i < LINKS; i++) {
                PLACE.begin(bytes, -1);
                SlotPool pool = new SlotPool(bytes, PLACE, -1);
                List<Integer> mine = new ArrayList<>();
                try {
                    for (int step = 0; step < STEPS; step++) {
                        writeAsPeer(bytes, pool, random);
                        given += operate(pool, mine, random);
                        assertEquals(mine.size(), pool.claimed());
                    }
                } catch (SlotViolation expected) {
                    violations++;
                }
                assertEquals(PLACE.slots(), pool.free() + pool.claimed() + pool.away());
                assertEquals(mine.size(), pool.claimed());
            }
        }
        assertTrue(violations > LINKS / 10 && given > LINKS, violations + " violations, given " + given);
    }

    /** Mostly what a correct receiver writes, sometimes not. */
    private static void writeAsPeer(OrderedBytes bytes, SlotPool pool, SplittableRandom random) {
        int slot = random.nextInt(PLACE.slots());
        long word = Slots.word(bytes, PLACE, slot);
        int generation = SlotWord.generation(word);
        if (random.nextInt(50) == 0) {
            Slots.setWord(bytes, PLACE, slot, garbage(random, pool.generation(slot)));
        } else if (SlotWord.state(word) == SlotWord.IN_FLIGHT) {
            Slots.setWord(bytes, PLACE, slot, SlotWord.of(generation, SlotWord.HELD));
        } else if (SlotWord.state(word) == SlotWord.HELD) {
            Slots.setWord(bytes, PLACE, slot, SlotWord.of(generation + 1, SlotWord.FREE));
        }
    }

    private static int operate(SlotPool pool, List<Integer> mine, SplittableRandom random) {
        int given = 0;
        if (mine.size() < 3) {
            int slot = pool.claim(random.nextInt(1_100));
            assertTrue(slot >= SlotPool.TOO_LARGE && slot < PLACE.slots(), () -> "slot=" + slot);
            if (slot >= 0) {
                assertTrue(!mine.contains(slot), "a slot is given out twice");
                mine.add(slot);
                given++;
            }
        }
        if (!mine.isEmpty() && random.nextBoolean()) {
            Integer slot = mine.get(random.nextInt(mine.size()));
            if (random.nextBoolean()) {
                pool.send(slot);
            } else {
                pool.abort(slot);
            }
            mine.remove(slot);
        }
        pool.collect();
        return given;
    }

    // r[verify shm.slot]
    @Test
    void aUserHoldsOnlySlotsThatExistWhateverTheEntriesSay(@Seeded SplittableRandom random) {
        int violations = 0;
        int holds = 0;
        try (MemoryRegion region = Slots.region(PLACE, -1)) {
            OrderedBytes bytes = region.bytes();
            SlotUser user = new SlotUser(bytes, PLACE, -1);
            List<long[]> held = new ArrayList<>();
            int[] generations = new int[PLACE.slots()];
            for (int i = 0; i < WRITES; i++) {
                int victim = random.nextInt(PLACE.slots());
                int generation = random.nextInt(4) > 0 ? generations[victim] - 1 : random.nextInt();
                Slots.setWord(bytes, PLACE, victim, SlotWord.of(generation, SlotWord.IN_FLIGHT));
                int slot = random.nextInt(8) > 0 ? victim : random.nextInt() >> random.nextInt(32);
                int length = random.nextInt(8) > 0 ? random.nextInt(65) : random.nextInt();
                try {
                    int offset = user.hold(slot, generation, length);
                    assertTrue(offset >= 0 && offset + length <= Slots.size(PLACE), () -> "offset=" + offset);
                    held.add(new long[] {slot, generation});
                    holds++;
                } catch (SlotViolation expected) {
                    violations++;
                }
                if (held.size() > random.nextInt(PLACE.slots())) {
                    long[] back = held.remove(random.nextInt(held.size()));
                    generations[(int) back[0]]++;
                    try {
                        user.release((int) back[0], (int) back[1]);
                    } catch (SlotViolation expected) {
                        violations++;
                    }
                }
                assertEquals(held.size(), user.held());
            }
        }
        assertTrue(violations > WRITES / 10 && holds > WRITES / 10, violations + " violations, holds " + holds);
    }
}
