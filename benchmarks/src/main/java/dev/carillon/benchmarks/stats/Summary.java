package dev.carillon.benchmarks.stats;

import dev.carillon.benchmarks.model.MeasureUnit;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * What is said about one variant of a case.
 *
 * @param median the middle of all figures
 * @param p99 the figure that 99 of 100 are as good as or better than: for rates, the low end
 * @param rounds how many rounds count
 */
public record Summary(double median, double p99, int rounds) {
    /** Returns the summary of the figures of the rounds that count. */
    public static Summary of(MeasureUnit unit, List<double[]> rounds) {
        double[] all = rounds.stream().flatMapToDouble(DoubleStream::of).toArray();
        double p99 = unit.lowerIsBetter() ? Quantiles.nearestRank(0.99, all) : badEndOfRates(all);
        return new Summary(Quantiles.median(all), p99, rounds.size());
    }

    private static double badEndOfRates(double[] rates) {
        double[] negated = DoubleStream.of(rates).map(rate -> -rate).toArray();
        return -Quantiles.nearestRank(0.99, negated);
    }
}
