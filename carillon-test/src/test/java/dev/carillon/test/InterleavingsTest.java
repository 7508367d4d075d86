package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InterleavingsTest {
    /** Two actors that each add one to a number, in one step or in two. */
    private static final class Counters implements Interleavings.World {
        private final boolean atomic;
        private final int[] read = {-1, -1};
        private final boolean[] done = new boolean[2];
        private int number;

        Counters(boolean atomic) {
            this.atomic = atomic;
        }

        @Override
        public int actors() {
            return 2;
        }

        @Override
        public boolean canStep(int actor) {
            return !done[actor];
        }

        @Override
        public void step(int actor) {
            if (atomic) {
                number++;
                done[actor] = true;
            } else if (read[actor] < 0) {
                read[actor] = number;
            } else {
                number = read[actor] + 1;
                done[actor] = true;
            }
        }

        @Override
        public String state() {
            return number + Arrays.toString(read) + Arrays.toString(done);
        }

        @Override
        public void verifyEnd() {
            assertEquals(2, number, "the sum");
        }
    }

    @Test
    void whatIsRightInEveryOrderIsGoneThroughToTheEnd() {
        assertEquals(4, Interleavings.explore(() -> new Counters(true)));
        assertEquals(Optional.empty(), Interleavings.failureOf(() -> new Counters(true)));
    }

    @Test
    void anOrderThatGoesWrongIsFoundAndTold() {
        String found = Interleavings.failureOf(() -> new Counters(false)).orElseThrow();
        assertTrue(found.contains("the sum"), found);
        assertTrue(found.matches("(?s).*in this order: \\[\\d(, \\d){3}]"), found);
    }
}
