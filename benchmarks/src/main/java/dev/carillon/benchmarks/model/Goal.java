package dev.carillon.benchmarks.model;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What we promise about one variant, in figures of one run.
 *
 * @param variant who must reach it
 * @param kind what is compared
 * @param limit the factor, the difference or the figure
 * @param reference another variant, {@link #BEST_PEER}, or nothing for an absolute limit
 */
public record Goal(
        String variant, Kind kind, double limit, @Nullable String reference) {
    /** Stands for the peer with the best median. */
    public static final String BEST_PEER = "best peer";

    /** What a goal compares. */
    public enum Kind {
        /** The figure is at most a multiple of the reference's. */
        AT_MOST_TIMES,
        /** The figure is at least a multiple of the reference's. */
        AT_LEAST_TIMES,
        /** The figure is at most the reference's and a constant. */
        AT_MOST_PLUS,
        /** The figure is at most a constant. */
        AT_MOST
    }

    /** Returns a goal for costs: at most so many times the reference. */
    public static Goal atMost(String variant, double factor, String reference) {
        return new Goal(variant, Kind.AT_MOST_TIMES, factor, reference);
    }

    /** Returns a goal for rates: at least so many times the reference. */
    public static Goal atLeast(String variant, double factor, String reference) {
        return new Goal(variant, Kind.AT_LEAST_TIMES, factor, reference);
    }

    /** Returns a goal for costs: at most the reference and so much more. */
    public static Goal atMostMore(String variant, double more, String reference) {
        return new Goal(variant, Kind.AT_MOST_PLUS, more, reference);
    }

    /** Returns a goal for costs that needs no reference. */
    public static Goal atMost(String variant, double figure) {
        return new Goal(variant, Kind.AT_MOST, figure, null);
    }

    /** Returns the goal as it is printed. */
    public String text(MeasureUnit unit) {
        return switch (kind) {
            case AT_MOST_TIMES -> variant + " <= " + number() + " x " + reference;
            case AT_LEAST_TIMES -> variant + " >= " + number() + " x " + reference;
            case AT_MOST_PLUS -> variant + " <= " + reference + " + " + number() + " " + unit.label();
            case AT_MOST -> variant + " <= " + number() + " " + unit.label();
        };
    }

    /** Returns whether a figure meets the goal, given the figure of the reference (ignored without one). */
    public boolean met(double figure, double referenceFigure) {
        return switch (kind) {
            case AT_MOST_TIMES -> figure <= limit * referenceFigure;
            case AT_LEAST_TIMES -> figure >= limit * referenceFigure;
            case AT_MOST_PLUS -> figure <= limit + referenceFigure;
            case AT_MOST -> figure <= limit;
        };
    }

    void check(String caseName, MeasureUnit unit, List<Variant> variants) {
        boolean rate = kind == Kind.AT_LEAST_TIMES;
        if (rate == unit.lowerIsBetter()) {
            throw new IllegalArgumentException(
                    "case=" + caseName + " goal='" + text(unit) + "' points the wrong way for unit=" + unit.label());
        }
        requireVariant(caseName, variant, variants);
        if (BEST_PEER.equals(reference)) {
            if (variants.stream().noneMatch(v -> v.role() == Role.PEER)) {
                throw new IllegalArgumentException("case=" + caseName + " has a goal against a peer, but no peer");
            }
        } else if (reference != null) {
            requireVariant(caseName, reference, variants);
        }
    }

    private static void requireVariant(String caseName, String wanted, List<Variant> variants) {
        if (variants.stream().noneMatch(v -> v.name().equals(wanted))) {
            throw new IllegalArgumentException(
                    "case=" + caseName + " has a goal for variant=" + wanted + ", which is not one of its variants");
        }
    }

    private String number() {
        return limit == Math.rint(limit) ? Long.toString((long) limit) : String.format(Locale.ROOT, "%.2f", limit);
    }
}
