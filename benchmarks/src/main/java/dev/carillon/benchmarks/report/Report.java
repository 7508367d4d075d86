package dev.carillon.benchmarks.report;

import java.util.List;

/**
 * All that a run found out.
 *
 * @param machine where it ran
 * @param smoke whether it was only a trial, whose figures mean nothing
 * @param results in the order of the run
 */
public record Report(Machine machine, boolean smoke, List<CaseResult> results) {
    /** Copies the results. */
    public Report {
        results = List.copyOf(results);
    }

    /** Returns what became of a result's goals; a smoke run judges none. */
    public List<GoalOutcome> outcomes(CaseResult result) {
        return smoke ? result.outcomes().stream().map(GoalOutcome::unknown).toList() : result.outcomes();
    }

    /** Returns how many rounds were run, and how many of them do not count. */
    public String roundsLine() {
        int rounds = results.stream().mapToInt(CaseResult::rounds).sum();
        int discarded = results.stream().mapToInt(CaseResult::discarded).sum();
        return rounds + " rounds in " + results.size() + " cases, " + discarded + " discarded";
    }
}
