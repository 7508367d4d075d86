package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.loops.NettyLoop;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.ArrayList;
import java.util.List;

/** Timers that are set and cancelled, and how late those are that run out. */
public final class TimersBenchmark {
    private static final String POOL_MAIN = "pool-main-jdk";
    private static final String POOL_SECOND = "pool-second-jdk";
    private static final double BETTER_THAN_POOL = 3;
    private static final double AS_LATE_AS_C = 1.3;

    private static final List<Variant> VARIANTS = List.of(
            Variant.oursFfm(TimerWorkload.Carillon.class),
            Variant.peer(POOL_SECOND, Jdk.SECOND, TimerWorkload.Pool.class),
            Variant.peer("wheel-second-jdk", Jdk.SECOND, TimerWorkload.Wheel.class, NettyLoop.FLAGS),
            Variant.oursJna(TimerWorkload.Carillon.class),
            Variant.peer(POOL_MAIN, Jdk.MAIN, TimerWorkload.Pool.class),
            Variant.peer("wheel-main-jdk", Jdk.MAIN, TimerWorkload.Wheel.class, NettyLoop.FLAGS));

    private TimersBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "timers",
                "Timers",
                List.of(
                        rate("set and cancelled, no other lives", "one-live", 200_000),
                        rate("set and cancelled, 100,000 others live", "many-live", 50_000),
                        rate("100,000 set, then all cancelled", "burst", 100_000),
                        lateness()));
    }

    private static Case rate(String name, String work, long ops) {
        return Case.named(name, work)
                .in(MeasureUnit.OPS_PER_SECOND, Measure.TOTAL)
                .ops(ops)
                .by(VARIANTS)
                .goal(Goal.atLeast(Variant.OURS_FFM, BETTER_THAN_POOL, POOL_SECOND))
                .goal(Goal.atLeast(Variant.OURS_JNA, BETTER_THAN_POOL, POOL_MAIN))
                .build();
    }

    private static Case lateness() {
        List<Variant> variants = new ArrayList<>(VARIANTS);
        variants.add(Variant.c("timers.c"));
        return Case.named("how late", "lateness")
                .in(MeasureUnit.NANOS_PER_OP, Measure.SAMPLES)
                .ops(20)
                .smokeOps(2)
                .by(variants)
                .goal(Goal.atMost(Variant.OURS_FFM, AS_LATE_AS_C, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, AS_LATE_AS_C, Variant.C))
                .build();
    }
}
