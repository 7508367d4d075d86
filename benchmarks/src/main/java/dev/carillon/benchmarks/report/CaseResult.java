package dev.carillon.benchmarks.report;

import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.report.GoalOutcome.Verdict;
import dev.carillon.benchmarks.stats.Summary;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * The figures of one case.
 *
 * @param bench the benchmark's name
 * @param subject the case
 * @param summaries by variant, in the case's order; without those that could not be measured
 * @param rounds how many rounds were run, warm-up apart
 * @param discarded how many of them do not count
 * @param notes what the reader must know: who was left out, and why
 */
public record CaseResult(
        String bench, Case subject, Map<String, Summary> summaries, int rounds, int discarded, List<String> notes) {
    /** Copies the collections, keeping their order. */
    public CaseResult {
        summaries = Collections.unmodifiableMap(new LinkedHashMap<>(summaries));
        notes = List.copyOf(notes);
    }

    /** Returns a variant's median through that of C. */
    public OptionalDouble ratioToC(String variant) {
        return ratio(variant, ofRole(Role.YARDSTICK).findFirst());
    }

    /** Returns a variant's median through that of the best peer. */
    public OptionalDouble ratioToBestPeer(String variant) {
        return ratio(variant, bestPeer());
    }

    /** Returns what became of each goal. */
    public List<GoalOutcome> outcomes() {
        return subject.goals().stream().map(this::judge).toList();
    }

    private GoalOutcome judge(Goal goal) {
        String text = goal.text(subject.unit());
        Summary figure = summaries.get(goal.variant());
        String wanted = goal.reference();
        Optional<String> reference = Goal.BEST_PEER.equals(wanted)
                ? bestPeer()
                : Optional.ofNullable(wanted).filter(summaries::containsKey);
        if (figure == null || (wanted != null && reference.isEmpty())) {
            return new GoalOutcome(text, goal.variant(), OptionalDouble.empty(), Verdict.UNKNOWN);
        }
        double referenceFigure = reference.map(this::median).orElse(Double.NaN);
        Verdict verdict = goal.met(figure.median(), referenceFigure) ? Verdict.MET : Verdict.MISSED;
        return new GoalOutcome(text, goal.variant(), ratio(goal.variant(), reference), verdict);
    }

    private Optional<String> bestPeer() {
        return ofRole(Role.PEER).reduce((a, b) -> subject.unit().better(median(b), median(a)) ? b : a);
    }

    private Stream<String> ofRole(Role role) {
        return subject.variants().stream()
                .filter(variant -> variant.role() == role)
                .map(Variant::name)
                .filter(summaries::containsKey);
    }

    private OptionalDouble ratio(String variant, Optional<String> reference) {
        if (reference.isEmpty() || !summaries.containsKey(variant)) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(median(variant) / median(reference.get()));
    }

    private double median(String variant) {
        return Objects.requireNonNull(summaries.get(variant)).median();
    }
}
