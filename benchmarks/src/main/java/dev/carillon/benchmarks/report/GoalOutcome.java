package dev.carillon.benchmarks.report;

import java.util.OptionalDouble;

/**
 * What became of a goal.
 *
 * @param goal as it is printed
 * @param variant whose goal it is
 * @param ratio the variant's median through the reference's; nothing without both
 * @param verdict whether it was met
 */
public record GoalOutcome(String goal, String variant, OptionalDouble ratio, Verdict verdict) {
    /** Returns the same goal, not judged. */
    GoalOutcome unknown() {
        return new GoalOutcome(goal, variant, OptionalDouble.empty(), Verdict.UNKNOWN);
    }

    /** Whether a goal was met. */
    public enum Verdict {
        /** It was. */
        MET("met"),
        /** It was not. */
        MISSED("MISSED"),
        /** The variant or its reference could not be measured here. */
        UNKNOWN("-");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        /** Returns the verdict as it is printed. */
        public String text() {
            return text;
        }
    }
}
