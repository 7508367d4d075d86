package dev.carillon.benchmarks.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuantilesTest {
    @Test
    void theMedianOfAnOddNumberIsTheMiddleFigure() {
        assertEquals(3, Quantiles.median(9, 1, 3));
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        assertEquals(2.5, Quantiles.median(4, 1, 2, 3));
    }

    @Test
    void theNearestRankIsAlwaysOneOfTheFigures() {
        double[] hundred = IntStream.rangeClosed(1, 100).asDoubleStream().toArray();
        assertEquals(99, Quantiles.nearestRank(0.99, hundred));
        assertEquals(50, Quantiles.nearestRank(0.50, hundred));
        assertEquals(1, Quantiles.nearestRank(0.001, hundred));
        assertEquals(100, Quantiles.nearestRank(1, hundred));
    }

    @Test
    void aRankThatIsAWholeNumberIsNotRoundedUpByTheLastBit() {
        double[] hundred = IntStream.rangeClosed(1, 100).asDoubleStream().toArray();
        assertEquals(7, Quantiles.nearestRank(0.07, hundred));
    }

    @Test
    void theNinetyNinthPercentileOfFewFiguresIsTheLargest() {
        assertEquals(
                21,
                Quantiles.nearestRank(
                        0.99, IntStream.rangeClosed(1, 21).asDoubleStream().toArray()));
    }

    @Test
    void theCallersFiguresKeepTheirOrder() {
        double[] figures = {3, 1, 2};
        Quantiles.median(figures);
        assertEquals(3, figures[0]);
    }

    @Test
    void nothingHasNoMedian() {
        assertThrows(IllegalArgumentException.class, Quantiles::median);
        assertThrows(IllegalArgumentException.class, () -> Quantiles.nearestRank(0, 1));
    }
}
