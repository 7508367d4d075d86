package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;
import java.util.stream.Stream;

/** Round trips of 64 bytes between two processes, over a link as its users have it. */
public final class TripBenchmark {
    private static final String C_SOURCE = "trip.c";
    private static final long SPINNING_OPS = 50_000;
    private static final long ASLEEP_OPS = 20_000;
    private static final long ASLEEP_OPS_ACROSS = 5_000;
    private static final long SMOKE_OPS = 100;

    private static final double FFM_OVER_C = 1.1;
    private static final double JNA_OVER_C = 1.3;
    private static final double OF_SOCKETS = 0.5;

    private static final Variant SOCKETS = Variant.peer("jdk-unix-sockets", Jdk.MAIN, TripWorkload.UnixSockets.class);
    /** Beside the yardstick, whose sleeps have no end: what the deadline of each sleep costs. */
    private static final Variant C_WITH_DEADLINE =
            new Variant(Variant.C + "-deadline", Role.YARDSTICK, new Variant.CWorker(C_SOURCE, List.of("deadline")));

    private static final Variant FFM = Variant.oursFfm(TripWorkload.Link.class);
    private static final Variant JNA = Variant.oursJna(TripWorkload.Link.class);

    private TripBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "shm-trip",
                "Round trips of short messages between two processes",
                List.of(spinning(), asleep(Placement.ONE_CORE), asleep(Placement.TWO_CORES)));
    }

    private static Case spinning() {
        return Case.named("64 B there and back, both sides look all the time", TripWorkload.SPINNING)
                .placed(Placement.TWO_CORES)
                .ops(SPINNING_OPS)
                .smokeOps(SMOKE_OPS)
                .by(List.of(
                        FFM,
                        Variant.peer("aeron-second-jdk", Jdk.SECOND, TripWorkload.Aeron.class, AgronaWire.FLAGS),
                        JNA,
                        SOCKETS,
                        Variant.c(C_SOURCE)))
                .build();
    }

    /**
     * Ours that sleep at once, as C does, have the goals. On two cores ours that look for a moment first are what a user gets; on
     * one they do not look.
     */
    private static Case asleep(Placement placement) {
        boolean together = placement == Placement.ONE_CORE;
        Case.Builder asleep = Case.named(
                        "64 B there and back, both sides sleep, " + (together ? "one core" : "two cores"),
                        TripWorkload.ASLEEP)
                .placed(placement)
                .ops(together ? ASLEEP_OPS : ASLEEP_OPS_ACROSS)
                .smokeOps(SMOKE_OPS)
                .by(List.of(atOnce(FFM), atOnce(JNA), SOCKETS, Variant.c(C_SOURCE), C_WITH_DEADLINE))
                .goal(Goal.atMost(Variant.OURS_FFM, FFM_OVER_C, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, JNA_OVER_C, Variant.C));
        if (together) {
            asleep.goal(Goal.atMost(Variant.OURS_FFM, OF_SOCKETS, Goal.BEST_PEER));
        } else {
            asleep.by(List.of(looksFirst("ours-ffm-looks-first", FFM), looksFirst("ours-jna-looks-first", JNA)));
        }
        return asleep.build();
    }

    private static Variant atOnce(Variant variant) {
        return with(TripWorkload.Link.NO_LOOK, variant.name(), variant);
    }

    private static Variant looksFirst(String name, Variant variant) {
        return with(TripWorkload.Link.LOOK, name, variant);
    }

    private static Variant with(String flag, String name, Variant variant) {
        Variant.JavaWorker worker = (Variant.JavaWorker) variant.launch();
        List<String> flags =
                Stream.concat(worker.flags().stream(), Stream.of(flag)).toList();
        return new Variant(name, Role.OURS, new Variant.JavaWorker(worker.jdk(), worker.workload(), flags));
    }
}
