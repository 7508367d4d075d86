package dev.carillon.benchmarks.wake;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;

/** Round trips of two sides that both sleep: over futexes, event counts and doorbells. */
public final class WakeBenchmark {
    private static final List<Variant> VARIANTS = List.of(
            Variant.oursFfm(WakeWorkload.class),
            Variant.oursJna(WakeWorkload.class),
            Variant.peer("jdk-unix-sockets", Jdk.MAIN, UnixSocketWorkload.class),
            Variant.c("wake.c"));

    private static final long ONE_CORE_OPS = 8_000;
    private static final long TWO_CORES_OPS = 1_000;
    private static final long SMOKE_OPS = 100;

    private WakeBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "wake",
                "Round trips of two sides that both sleep, shared between processes",
                List.of(
                        withGoals(trip("futex", "futex", Placement.ONE_CORE))
                                .goal(Goal.atMost(Variant.OURS_FFM, 0.5, Goal.BEST_PEER))
                                .build(),
                        withGoals(trip("futex", "futex", Placement.TWO_CORES)).build(),
                        trip("event count", "event-count", Placement.ONE_CORE).build(),
                        trip("event count", "event-count", Placement.TWO_CORES).build(),
                        trip("doorbell", "doorbell", Placement.ONE_CORE).build(),
                        trip("doorbell", "doorbell", Placement.TWO_CORES).build()));
    }

    private static Case.Builder trip(String what, String work, Placement placement) {
        boolean together = placement == Placement.ONE_CORE;
        return Case.named(what + (together ? " round trip, one core" : " round trip, two cores"), work)
                .placed(placement)
                .ops(together ? ONE_CORE_OPS : TWO_CORES_OPS)
                .smokeOps(SMOKE_OPS)
                .by(VARIANTS);
    }

    private static Case.Builder withGoals(Case.Builder builder) {
        return builder.goal(Goal.atMost(Variant.OURS_FFM, 1.15, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, 1.3, Variant.C));
    }
}
