package dev.carillon.benchmarks.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TallyTest {
    private final Tally tally = new Tally();

    @Test
    void numbersGoOnOverRoundsAndSumsDoNot() {
        tally.message(0, 5);
        tally.message(1, 6);
        assertEquals(11, tally.sum());

        tally.begin();
        tally.message(2, 7);
        assertEquals(7, tally.sum());
        assertTrue(tally.inOrder());
    }

    @Test
    void aMessageOutOfOrderIsNotForgotten() {
        tally.message(1, 0);
        tally.message(0, 0);
        tally.message(2, 0);
        assertFalse(tally.inOrder());
    }

    @Test
    void aDifferenceInABatchCounts() {
        tally.messages(16, 1, 0);
        assertFalse(tally.inOrder());
        assertEquals(16, tally.next());
    }
}
