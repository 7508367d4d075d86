package dev.carillon.benchmarks.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import dev.carillon.benchmarks.report.CaseResult;
import dev.carillon.benchmarks.run.Harness;
import dev.carillon.benchmarks.run.Progress;
import dev.carillon.benchmarks.run.Toolbox;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShmIT {
    private static final int MESSAGES = 100;

    @Test
    void aWrongOrderFailsTheVariant() throws IOException {
        assertFails(FaultyWorkloads.Swapping.class, "inOrder=false");
    }

    @Test
    void aWrongSumFailsTheVariant() throws IOException {
        assertFails(FaultyWorkloads.Misreading.class, "inOrder=true");
    }

    private static void assertFails(Class<? extends ShmWorkload> workload, String why) throws IOException {
        Benchmark benchmark = new Benchmark(
                "test",
                "A test",
                List.of(Case.named("a case", "one-by-one")
                        .in(MeasureUnit.OPS_PER_SECOND, Measure.TOTAL)
                        .smokeOps(MESSAGES)
                        .by(List.of(Variant.peer("faulty", Jdk.MAIN, workload)))
                        .build()));
        try (Harness harness = new Harness(Toolbox.find(), Progress.standard(), 1, 0, true)) {
            CaseResult result = harness.run(benchmark, any -> true).get(0);
            assertTrue(harness.failed(), result.notes().toString());
            assertEquals(1, result.notes().size(), result.notes().toString());
            String note = result.notes().get(0);
            assertTrue(note.contains("messages were lost or changed") && note.contains(why), note);
        }
    }
}
