package dev.carillon.benchmarks.model;

import static dev.carillon.benchmarks.model.MeasureUnit.MILLIS;
import static dev.carillon.benchmarks.model.MeasureUnit.NANOS_PER_OP;
import static dev.carillon.benchmarks.model.MeasureUnit.OPS_PER_SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GoalTest {
    @Test
    void aCostMayBeUpToSoManyTimesTheReference() {
        Goal goal = Goal.atMost("ours-ffm", 1.25, "c");
        assertTrue(goal.met(125, 100));
        assertFalse(goal.met(126, 100));
        assertEquals("ours-ffm <= 1.25 x c", goal.text(NANOS_PER_OP));
    }

    @Test
    void aRateMustBeAtLeastSoManyTimesTheReference() {
        Goal goal = Goal.atLeast("ours-ffm", 4, Goal.BEST_PEER);
        assertTrue(goal.met(400, 100));
        assertFalse(goal.met(399, 100));
        assertEquals("ours-ffm >= 4 x best peer", goal.text(OPS_PER_SECOND));
    }

    @Test
    void aCostMayBeSoMuchMoreThanTheReference() {
        Goal goal = Goal.atMostMore("ours-ffm", 80, "empty");
        assertTrue(goal.met(120, 40));
        assertFalse(goal.met(121, 40));
        assertEquals("ours-ffm <= empty + 80 ms", goal.text(MILLIS));
    }

    @Test
    void aLimitNeedsNoReference() {
        Goal goal = Goal.atMost("ours-ffm", 0);
        assertTrue(goal.met(0, Double.NaN));
        assertFalse(goal.met(0.1, Double.NaN));
        assertEquals("ours-ffm <= 0 B/op", goal.text(MeasureUnit.BYTES_PER_OP));
    }

    @Test
    void aGoalThatPointsTheWrongWayIsRefused() {
        Case.Builder rate =
                Variants.caseWith(OPS_PER_SECOND, Variants.OURS, Variants.C).goal(Goal.atMost("ours-ffm", 1.25, "c"));
        assertThrows(IllegalArgumentException.class, rate::build);
        Case.Builder cost =
                Variants.caseWith(NANOS_PER_OP, Variants.OURS, Variants.C).goal(Goal.atLeast("ours-ffm", 1.25, "c"));
        assertThrows(IllegalArgumentException.class, cost::build);
    }

    @Test
    void aGoalForSomebodyWhoIsNotThereIsRefused() {
        Case.Builder noReference =
                Variants.caseWith(NANOS_PER_OP, Variants.OURS).goal(Goal.atMost("ours-ffm", 1.25, "c"));
        assertThrows(IllegalArgumentException.class, noReference::build);
        Case.Builder noVariant = Variants.caseWith(NANOS_PER_OP, Variants.C).goal(Goal.atMost("ours-ffm", 1.25, "c"));
        assertThrows(IllegalArgumentException.class, noVariant::build);
        Case.Builder noPeer =
                Variants.caseWith(NANOS_PER_OP, Variants.OURS).goal(Goal.atMost("ours-ffm", 1, Goal.BEST_PEER));
        assertThrows(IllegalArgumentException.class, noPeer::build);
    }

    @Test
    void twoVariantsOfOneNameAreRefused() {
        Case.Builder twice = Variants.caseWith(NANOS_PER_OP, Variants.C, Variants.C);
        assertThrows(IllegalArgumentException.class, twice::build);
    }
}
