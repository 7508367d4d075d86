package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import dev.carillon.benchmarks.report.CaseResult;
import dev.carillon.benchmarks.stats.Summary;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HarnessIT {
    private static final Variant PEER = Variant.peer("peer", Jdk.MAIN, TestWorkload.class);
    private static final Variant OTHER = Variant.peer("other", Jdk.MAIN, TestWorkload.class);
    private static final Variant NOBODY =
            new Variant("nobody", Role.PEER, new Variant.JavaWorker(Jdk.MAIN, "no.such.Workload", List.of()));

    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
    private boolean failed;

    @Test
    void totalsBecomeFiguresOfOneOperation() throws IOException {
        CaseResult result = run(Case.named("a case", "ten-nanos").by(List.of(PEER, OTHER)));
        assertEquals(new Summary(10, 10, 3), result.summaries().get("peer"));
        assertEquals(List.of("peer", "other"), List.copyOf(result.summaries().keySet()));
        assertFalse(failed);
    }

    @Test
    void samplesAreCountedOneByOne() throws IOException {
        Case.Builder subject = Case.named("a case", "samples")
                .in(MeasureUnit.NANOS_PER_OP, Measure.SAMPLES)
                .ops(100)
                .by(List.of(PEER));
        assertEquals(new Summary(50.5, 99, 3), run(subject).summaries().get("peer"));
    }

    @Test
    void warmUpRoundsAreThrownAway() throws IOException {
        Case.Builder subject = Case.named("a case", "counting")
                .in(MeasureUnit.MEBIBYTES, Measure.VALUE)
                .by(List.of(PEER));
        assertEquals(new Summary(4, 5, 3), run(subject).summaries().get("peer"));
        assertTrue(progress.toString(StandardCharsets.UTF_8).contains("2 warm-up rounds (thrown away), 3 rounds"));
    }

    @Test
    void aVariantThatFailsDoesNotTakeTheOthersWithIt() throws IOException {
        CaseResult result = run(Case.named("a case", "ten-nanos").by(List.of(NOBODY, PEER)));
        assertEquals(Map.of("peer", new Summary(10, 10, 3)), result.summaries());
        assertTrue(
                result.notes().get(0).contains("nobody FAILED"), result.notes().toString());
        assertTrue(
                result.notes().get(0).contains("no.such.Workload"),
                result.notes().toString());
        assertTrue(failed);
    }

    @Test
    void whatTheHostCannotDoIsNotedAndNoFailure() throws IOException {
        CaseResult result = run(Case.named("a case", "impossible").by(List.of(PEER)));
        assertTrue(result.summaries().isEmpty());
        assertTrue(
                result.notes().get(0).contains("not on this host"),
                result.notes().toString());
        assertFalse(failed);
    }

    @Test
    void aYardstickSpeaksTheSameLanguage() throws IOException {
        Case.Builder subject = Case.named("a case", "getppid").ops(1000).by(List.of(Variant.c("syscalls.c")));
        CaseResult result = run(subject);
        assertFalse(failed, result.notes().toString());
        assertTrue(result.summaries().containsKey("c") || result.notes().get(0).contains("left out"));
    }

    private CaseResult run(Case.Builder subject) throws IOException {
        Benchmark benchmark = new Benchmark("test", "A test", List.of(subject.build()));
        Progress lines = new Progress(new PrintStream(progress, true, StandardCharsets.UTF_8), false);
        try (Harness harness = new Harness(Toolbox.find(), lines, 3, 2, false)) {
            CaseResult result = harness.run(benchmark, any -> true).get(0);
            failed = harness.failed();
            return result;
        }
    }
}
