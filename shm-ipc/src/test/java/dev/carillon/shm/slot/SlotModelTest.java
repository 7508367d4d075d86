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

/** Random operations on slots and on a plain model of them: each slot in one state, all sums right. */
final class SlotModelTest {
    private static final int ROUNDS = Boolean.getBoolean("carillon.stress") ? 2_000 : 100;
    private static final int OPERATIONS = 1_000;

    // r[verify shm.slot]
    // r[verify shm.slot.classes]
    @Test
    void eachSlotIsInExactlyOneState(@Seeded SplittableRandom random) {
        for (int round = 0; round < ROUNDS; round++) {
            int[] classes = new int[2 * random.nextInt(5)];
            for (int i = 0; i < classes.length; i += 2) {
                classes[i] = 64 * (1 + i + random.nextInt(2));
                classes[i + 1] = 1 + random.nextInt(6);
            }
            int generation = random.nextInt(4) - 4;
            SlotPlace place = Slots.place(classes);
            try (MemoryRegion region = MemoryRegion.anonymous(64 + (classes.length == 0 ? 0 : Slots.size(place)))) {
                place.begin(region.bytes(), generation);
                Model model = new Model(region.bytes(), place, generation);
                for (int i = 0; i < OPERATIONS; i++) {
                    model.operate(random);
                    model.verify();
                }
            }
        }
    }

    /** Both sides, and the state and generation that each slot must have. */
    private static final class Model {
        private final OrderedBytes bytes;
        private final SlotPlace place;
        private final SlotPool pool;
        private final SlotUser user;
        private final int[] states;
        private final int[] generations;
        private final int[] classes;

        Model(OrderedBytes bytes, SlotPlace place, int generation) {
            this.bytes = bytes;
            this.place = place;
            pool = new SlotPool(bytes, place, generation);
            user = new SlotUser(bytes, place, generation);
            states = new int[place.slots()];
            generations = new int[place.slots()];
            classes = new int[place.slots()];
            int slot = 0;
            for (int i = 0; i < place.classes().size(); i++) {
                for (int j = 0; j < place.classes().get(i).count(); j++) {
                    classes[slot] = i;
                    generations[slot++] = generation;
                }
            }
        }

        private List<Integer> inState(int state) {
            List<Integer> slots = new ArrayList<>();
            for (int slot = 0; slot < states.length; slot++) {
                if (states[slot] == state) {
                    slots.add(slot);
                }
            }
            return slots;
        }

        private int any(SplittableRandom random, int state) {
            List<Integer> slots = inState(state);
            return slots.isEmpty() ? -1 : slots.get(random.nextInt(slots.size()));
        }

        void operate(SplittableRandom random) {
            switch (random.nextInt(8)) {
                case 0, 1 -> claim(random.nextInt(64 * 9));
                case 2 -> {
                    int slot = any(random, SlotWord.CLAIMED);
                    if (slot >= 0) {
                        pool.abort(slot);
                        states[slot] = SlotWord.FREE;
                    }
                }
                case 3, 4 -> {
                    int slot = any(random, SlotWord.CLAIMED);
                    if (slot >= 0) {
                        pool.send(slot);
                        states[slot] = SlotWord.IN_FLIGHT;
                    }
                }
                case 5 -> {
                    int slot = any(random, SlotWord.IN_FLIGHT);
                    if (slot >= 0) {
                        int offset = user.hold(slot, generations[slot], random.nextInt(pool.size(slot) + 1));
                        assertEquals(pool.offset(slot), offset);
                        states[slot] = SlotWord.HELD;
                    }
                }
                case 6 -> {
                    int slot = any(random, SlotWord.HELD);
                    if (slot >= 0) {
                        user.release(slot, generations[slot]);
                        states[slot] = SlotWord.FREE;
                        generations[slot]++;
                    }
                }
                default -> {
                    if (random.nextInt(4) == 0) {
                        pool.collect();
                        assertEquals(inState(SlotWord.FREE).size(), pool.free());
                    }
                }
            }
        }

        private void claim(int length) {
            int expected = place.classes().isEmpty() || length > pool.maxLength() ? SlotPool.TOO_LARGE : SlotPool.NONE;
            for (int slot : inState(SlotWord.FREE)) {
                if (expected == SlotPool.NONE
                        && place.classes().get(classes[slot]).bytes() >= length) {
                    expected = classes[slot];
                }
            }
            int slot = pool.claim(length);
            if (slot < 0) {
                assertEquals(expected, slot);
            } else {
                assertEquals(SlotWord.FREE, states[slot]);
                assertEquals(expected, classes[slot], "the smallest class that has a free slot");
                assertEquals(generations[slot], pool.generation(slot));
                states[slot] = SlotWord.CLAIMED;
            }
        }

        void verify() {
            int sum = 0;
            for (int i = 0; i < place.classes().size(); i++) {
                sum += SlotCounts.of(bytes, place, i).sum();
                assertEquals(0, SlotCounts.of(bytes, place, i).unknown());
            }
            assertEquals(states.length, sum);
            for (int slot = 0; slot < states.length; slot++) {
                assertEquals(SlotWord.of(generations[slot], states[slot]), Slots.word(bytes, place, slot));
            }
            assertEquals(inState(SlotWord.CLAIMED).size(), pool.claimed());
            assertEquals(inState(SlotWord.HELD).size(), user.held());
            assertEquals(states.length, pool.free() + pool.claimed() + pool.away());
            assertTrue(pool.away()
                    >= inState(SlotWord.HELD).size()
                            + inState(SlotWord.IN_FLIGHT).size());
        }
    }
}
