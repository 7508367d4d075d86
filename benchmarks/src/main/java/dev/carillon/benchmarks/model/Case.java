package dev.carillon.benchmarks.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One piece of work, done by several variants.
 *
 * @param name what the tables say
 * @param work what the workers call it
 * @param unit the unit of its figures
 * @param measure how a worker's numbers are read
 * @param placement where the threads are kept
 * @param ops operations in one round
 * @param smokeOps operations in a smoke run
 * @param variants who does the work
 * @param goals what we promise
 */
public record Case(
        String name,
        String work,
        MeasureUnit unit,
        Measure measure,
        Placement placement,
        long ops,
        long smokeOps,
        List<Variant> variants,
        List<Goal> goals) {
    /** Copies the lists and checks that the goals fit the variants and the unit. */
    public Case {
        variants = List.copyOf(variants);
        goals = List.copyOf(goals);
        if (ops < 1 || smokeOps < 1) {
            throw new IllegalArgumentException("case=" + name + " ops=" + ops + " smokeOps=" + smokeOps);
        }
        if (work.isBlank() || work.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException("case=" + name + " work='" + work + "' must be one word");
        }
        long names = variants.stream().map(Variant::name).distinct().count();
        if (names != variants.size()) {
            throw new IllegalArgumentException("case=" + name + " has two variants of one name");
        }
        for (Goal goal : goals) {
            goal.check(name, unit, variants);
        }
    }

    /** Starts a case whose figure is the mean of a round, in nanoseconds, on one core. */
    public static Builder named(String name, String work) {
        return new Builder(name, work);
    }

    /** Returns the variant of a name. */
    public Optional<Variant> variant(String variantName) {
        return variants.stream().filter(v -> v.name().equals(variantName)).findFirst();
    }

    /** Collects what a case needs. */
    public static final class Builder {
        private final String name;
        private final String work;
        private final List<Variant> variants = new ArrayList<>();
        private final List<Goal> goals = new ArrayList<>();
        private MeasureUnit unit = MeasureUnit.NANOS_PER_OP;
        private Measure measure = Measure.TOTAL;
        private Placement placement = Placement.ONE_CORE;
        private long ops = 100_000;
        private long smokeOps;

        private Builder(String name, String work) {
            this.name = name;
            this.work = work;
        }

        /** Sets unit and measure. */
        public Builder in(MeasureUnit newUnit, Measure newMeasure) {
            unit = newUnit;
            measure = newMeasure;
            return this;
        }

        /** Sets where the threads are kept. */
        public Builder placed(Placement newPlacement) {
            placement = newPlacement;
            return this;
        }

        /** Sets the operations of a round; a smoke run takes a thousandth. */
        public Builder ops(long newOps) {
            ops = newOps;
            return this;
        }

        /** Sets the operations of a smoke run. */
        public Builder smokeOps(long newOps) {
            smokeOps = newOps;
            return this;
        }

        /** Adds variants. */
        public Builder by(List<Variant> more) {
            variants.addAll(more);
            return this;
        }

        /** Adds a goal. */
        public Builder goal(Goal goal) {
            goals.add(goal);
            return this;
        }

        /** Returns the case. */
        public Case build() {
            long smoke = smokeOps > 0 ? smokeOps : Math.max(1, ops / 1000);
            return new Case(name, work, unit, measure, placement, ops, smoke, variants, goals);
        }
    }
}
