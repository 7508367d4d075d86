package dev.carillon.benchmarks.stats;

import java.util.Arrays;

/** Median and quantiles of a few figures. */
public final class Quantiles {
    private Quantiles() {}

    /** Returns the middle figure, or the mean of the two in the middle. */
    public static double median(double... figures) {
        double[] sorted = sorted(figures);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * Returns the nearest-rank quantile: the smallest figure that at least this part of all figures do not exceed.
     *
     * @param part above 0, up to 1
     */
    public static double nearestRank(double part, double... figures) {
        if (!(part > 0 && part <= 1)) {
            throw new IllegalArgumentException("part=" + part);
        }
        double[] sorted = sorted(figures);
        // A product such as 0.07 * 100 comes out a hair above the whole number that is meant.
        int rank = (int) Math.ceil(part * sorted.length - 1e-9);
        return sorted[Math.max(rank, 1) - 1];
    }

    private static double[] sorted(double[] figures) {
        if (figures.length == 0) {
            throw new IllegalArgumentException("figures.length=0");
        }
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
