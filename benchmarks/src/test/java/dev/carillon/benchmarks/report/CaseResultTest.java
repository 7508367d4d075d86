package dev.carillon.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Variants;
import dev.carillon.benchmarks.report.GoalOutcome.Verdict;
import dev.carillon.benchmarks.stats.Summary;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CaseResultTest {
    @Test
    void ratiosAreOfMedians() {
        assertEquals(1.2, Results.costs().ratioToC("ours-ffm").orElseThrow(), 1e-9);
        assertEquals(0.8, Results.costs().ratioToBestPeer("ours-ffm").orElseThrow(), 1e-9);
    }

    @Test
    void goalsAreJudgedEachByItsReference() {
        List<GoalOutcome> outcomes = Results.costs().outcomes();
        assertEquals(Verdict.MET, outcomes.get(0).verdict());
        assertEquals(1.2, outcomes.get(0).ratio().orElseThrow(), 1e-9);
        assertEquals(Verdict.MISSED, outcomes.get(1).verdict());
        assertEquals(0.8, outcomes.get(1).ratio().orElseThrow(), 1e-9);
    }

    @Test
    void withoutItsReferenceAGoalIsNeitherMetNorMissed() {
        for (GoalOutcome outcome : Results.alone().outcomes()) {
            assertEquals(Verdict.UNKNOWN, outcome.verdict());
            assertTrue(outcome.ratio().isEmpty());
        }
    }

    @Test
    void theBestPeerOfRatesIsTheFastest() {
        Case subject = Variants.caseWith(MeasureUnit.OPS_PER_SECOND, Variants.OURS, Variants.PEER, Variants.OTHER_PEER)
                .goal(Goal.atLeast("ours-ffm", 2.5, Goal.BEST_PEER))
                .build();
        Map<String, Summary> summaries = Map.of(
                "ours-ffm", new Summary(100, 90, 3),
                "peer", new Summary(30, 20, 3),
                "other-peer", new Summary(50, 40, 3));
        CaseResult result = new CaseResult("a bench", subject, summaries, 3, 0, List.of());
        assertEquals(2.0, result.ratioToBestPeer("ours-ffm").orElseThrow(), 1e-9);
        assertEquals(Verdict.MISSED, result.outcomes().get(0).verdict());
    }

    @Test
    void aSmokeRunJudgesNothing() {
        CaseResult result = Results.costs();
        Report smoke = new Report(Results.MACHINE, true, List.of(result));
        smoke.outcomes(result).forEach(outcome -> assertEquals(Verdict.UNKNOWN, outcome.verdict()));
    }
}
