package dev.carillon.benchmarks.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.benchmarks.model.MeasureUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static final List<double[]> THREE_ROUNDS = List.of(new double[] {10}, new double[] {30}, new double[] {20});

    @Test
    void theBadEndOfCostsIsTheHighOne() {
        assertEquals(new Summary(20, 30, 3), Summary.of(MeasureUnit.NANOS_PER_OP, THREE_ROUNDS));
    }

    @Test
    void theBadEndOfRatesIsTheLowOne() {
        assertEquals(new Summary(20, 10, 3), Summary.of(MeasureUnit.OPS_PER_SECOND, THREE_ROUNDS));
    }

    @Test
    void samplesOfAllRoundsAreTakenTogether() {
        List<double[]> rounds = List.of(new double[] {1, 2, 3}, new double[] {4, 5});
        assertEquals(new Summary(3, 5, 2), Summary.of(MeasureUnit.NANOS_PER_OP, rounds));
    }
}
