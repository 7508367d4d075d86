package dev.carillon.benchmarks.park;

import dev.carillon.benchmarks.loops.NettyLoop;
import dev.carillon.benchmarks.loops.TaskWorkload;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;

/** Waking a loop that sleeps. */
public final class ParkBenchmark {
    private static final long WAKES = 200;
    private static final long TRIPS_ON_ONE_CORE = 5_000;
    private static final long TRIPS_ACROSS = 1_000;
    private static final double OF_C = 1.1;

    private static final List<Variant> VARIANTS = List.of(
            Variant.oursFfm(TaskWorkload.Carillon.class),
            Variant.oursJna(TaskWorkload.Carillon.class),
            Variant.peer("netty-second-jdk", Jdk.SECOND, TaskWorkload.Netty.class, NettyLoop.FLAGS),
            Variant.peer("netty-main-jdk", Jdk.MAIN, TaskWorkload.Netty.class, NettyLoop.FLAGS),
            Variant.peer("kotlinx-second-jdk", Jdk.SECOND, TaskWorkload.Kotlinx.class),
            Variant.peer("kotlinx-main-jdk", Jdk.MAIN, TaskWorkload.Kotlinx.class),
            Variant.c("park.c"));

    private ParkBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "park",
                "Waking a loop that sleeps",
                List.of(
                        aheadOfPeers(wake("one core: post to run", Placement.ONE_CORE)),
                        aheadOfPeers(trip("one core: round trip of two loops", Placement.ONE_CORE, TRIPS_ON_ONE_CORE)),
                        wake("two cores: post to run", Placement.TWO_CORES).build(),
                        trip("two cores: round trip of two loops", Placement.TWO_CORES, TRIPS_ACROSS)
                                .build()));
    }

    private static Case.Builder wake(String name, Placement placement) {
        return withGoals(Case.named(name, "wake")
                .in(MeasureUnit.NANOS_PER_OP, Measure.SAMPLES)
                .placed(placement)
                .ops(WAKES)
                .smokeOps(5));
    }

    private static Case.Builder trip(String name, Placement placement, long ops) {
        return withGoals(Case.named(name, "round-trip").placed(placement).ops(ops));
    }

    private static Case.Builder withGoals(Case.Builder builder) {
        return builder.by(VARIANTS)
                .goal(Goal.atMost(Variant.OURS_FFM, OF_C, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, OF_C, Variant.C));
    }

    private static Case aheadOfPeers(Case.Builder builder) {
        return builder.goal(Goal.atMost(Variant.OURS_FFM, 1, Goal.BEST_PEER))
                .goal(Goal.atMost(Variant.OURS_JNA, 1, Goal.BEST_PEER))
                .build();
    }
}
