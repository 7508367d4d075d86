package dev.carillon.benchmarks.spawn;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;

/** Starting a child and seeing its end. */
public final class SpawnBenchmark {
    private static final long OPS = 40;
    private static final long SMOKE_OPS = 2;

    private SpawnBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        List<Variant> variants = List.of(
                Variant.oursFfm(SpawnWorkload.class),
                Variant.oursJna(SpawnWorkload.class),
                Variant.peer("process-builder", Jdk.MAIN, ProcessBuilderWorkload.class),
                Variant.peer("process-builder-second-jdk", Jdk.SECOND, ProcessBuilderWorkload.class),
                Variant.c("spawn.c"));
        Case.Builder spawn = Case.named("start /bin/true and see its end", "spawn")
                .in(MeasureUnit.MILLIS, Measure.TOTAL)
                .placed(Placement.FREE)
                .ops(OPS)
                .smokeOps(SMOKE_OPS)
                .by(variants)
                .goal(Goal.atMost(Variant.OURS_FFM, 1.0, Goal.BEST_PEER))
                .goal(Goal.atMost(Variant.OURS_JNA, 1.0, Goal.BEST_PEER));
        return new Benchmark("spawn", "Starting a child and seeing its end", List.of(spawn.build()));
    }
}
