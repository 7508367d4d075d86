package dev.carillon.benchmarks.report;

import java.util.Locale;
import java.util.OptionalDouble;

/** How figures are printed. */
final class Numbers {
    private Numbers() {}

    /** Returns a figure with as many digits as mean something: 1,234,567 or 12.3 or 0.045. */
    static String figure(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == 0) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }

    /** Returns a ratio, or a dash. */
    static String ratio(OptionalDouble ratio) {
        return ratio.isPresent() ? String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) : "-";
    }
}
