package dev.carillon.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableWriterTest {
    @Test
    void aRowSaysFiguresRatiosGoalAndVerdict() {
        String row = lines(Results.report(Results.costs())).get(1);
        assertEquals(
                "a bench  a case  ours-ffm  120  131  ns/op  1.20  0.80  ours-ffm <= 1.25 x c  met",
                row.replaceAll(" {2,}", "  "));
    }

    @Test
    void aSecondGoalHasALineOfItsOwn() {
        String row = lines(Results.report(Results.costs())).get(2);
        assertEquals("ours-ffm <= 0.50 x best peer  MISSED", row.strip().replaceAll(" {2,}", "  "));
    }

    @Test
    void notesMachineAndDiscardedRoundsFollow() {
        String table = TableWriter.write(Results.report(Results.costs()));
        assertTrue(table.contains("note: a bench/a case: a note\n"), table);
        assertTrue(table.contains("Linux 6.1.0, 2 x "), table);
        assertTrue(table.contains("22 rounds in 1 cases, 1 discarded"), table);
    }

    @Test
    void aSmokeRunSaysThatItsFiguresMeanNothing() {
        Report smoke = new Report(Results.MACHINE, true, List.of(Results.costs()));
        assertTrue(TableWriter.write(smoke).contains("mean nothing"));
        assertFalse(TableWriter.write(smoke).contains("MISSED"));
    }

    @Test
    void figuresHaveAsManyDigitsAsMeanSomething() {
        assertEquals("1,234,568", Numbers.figure(1234567.8));
        assertEquals("12.3", Numbers.figure(12.34));
        assertEquals("1.23", Numbers.figure(1.234));
        assertEquals("0.012", Numbers.figure(0.0123));
        assertEquals("0", Numbers.figure(0));
    }

    private static List<String> lines(Report report) {
        return TableWriter.write(report).lines().toList();
    }
}
