package dev.carillon.benchmarks.report;

import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Variants;
import dev.carillon.benchmarks.stats.Summary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results for tests, which nobody measured. */
final class Results {
    static final Machine MACHINE = new Machine("6.1.0", "A <fast> \"CPU\" & more", 2, "17.0.1", "25");

    private Results() {}

    /** Ours 120, a peer 200, a better peer 150, C 100; the goal for C is met, the one for the best peer is not. */
    static CaseResult costs() {
        Case subject = Variants.caseWith(
                        MeasureUnit.NANOS_PER_OP, Variants.OURS, Variants.PEER, Variants.OTHER_PEER, Variants.C)
                .goal(Goal.atMost("ours-ffm", 1.25, "c"))
                .goal(Goal.atMost("ours-ffm", 0.5, Goal.BEST_PEER))
                .build();
        Map<String, Summary> summaries = new LinkedHashMap<>();
        summaries.put("ours-ffm", new Summary(120, 130.5, 21));
        summaries.put("peer", new Summary(200, 210, 21));
        summaries.put("other-peer", new Summary(150, 1600, 21));
        summaries.put("c", new Summary(100, 110, 21));
        return new CaseResult("a bench", subject, summaries, 22, 1, List.of("a note"));
    }

    /** The same case where neither C nor any peer could be measured. */
    static CaseResult alone() {
        CaseResult costs = costs();
        Map<String, Summary> summaries = Map.of("ours-ffm", new Summary(120, 130.5, 21));
        return new CaseResult("a bench", costs.subject(), summaries, 22, 1, List.of("c left out: no gcc"));
    }

    static Report report(CaseResult... results) {
        return new Report(MACHINE, false, List.of(results));
    }
}
