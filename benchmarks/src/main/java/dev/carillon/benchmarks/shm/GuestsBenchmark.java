package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import java.util.List;
import java.util.stream.Stream;

/** A host with 255 guests. */
public final class GuestsBenchmark {
    private static final String C_SOURCE = "trip.c";
    private static final long OPS = 5_000;
    private static final long SMOKE_OPS = 100;
    private static final double BESIDE_IDLE = 1.1;

    private static final Variant FFM = atOnce(Variant.oursFfm(GuestsWorkload.class));
    private static final Variant JNA = atOnce(Variant.oursJna(GuestsWorkload.class));

    private GuestsBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "shm-guests",
                "A host with 255 guests: a round trip with one of them, and what each of them costs",
                List.of(
                        trips(),
                        cost(
                                "descriptors of the host for each guest",
                                GuestsWorkload.DESCRIPTORS,
                                MeasureUnit.DESCRIPTORS),
                        cost(
                                "resident memory of the host for each guest",
                                GuestsWorkload.MEMORY,
                                MeasureUnit.KIBIBYTES)));
    }

    /** One guest alone is what C has; nobody else's others are like ours. */
    private static Case trips() {
        return Case.named(
                        "64 B there and back, both sides sleep, alone and beside 254 other guests",
                        GuestsWorkload.ASLEEP)
                .placed(Placement.TWO_CORES)
                .ops(OPS)
                .smokeOps(SMOKE_OPS)
                .by(List.of(
                        FFM,
                        beside("idle", FFM),
                        beside("busy", FFM),
                        JNA,
                        beside("idle", JNA),
                        beside("busy", JNA),
                        Variant.c(C_SOURCE)))
                .goal(Goal.atMost(name("idle", FFM), BESIDE_IDLE, Variant.OURS_FFM))
                .goal(Goal.atMost(name("idle", JNA), BESIDE_IDLE, Variant.OURS_JNA))
                .build();
    }

    private static Case cost(String name, String work, MeasureUnit unit) {
        return Case.named(name, work)
                .in(unit, Measure.VALUE)
                .placed(Placement.FREE)
                .ops(1)
                .by(List.of(FFM, JNA))
                .build();
    }

    private static Variant atOnce(Variant variant) {
        return with(TripWorkload.Link.NO_LOOK, variant.name(), variant);
    }

    private static Variant beside(String others, Variant variant) {
        return with("-D" + GuestsWorkload.OTHERS + "=" + others, name(others, variant), variant);
    }

    private static String name(String others, Variant variant) {
        return variant.name() + "-254-" + others;
    }

    private static Variant with(String flag, String name, Variant variant) {
        Variant.JavaWorker worker = (Variant.JavaWorker) variant.launch();
        List<String> flags =
                Stream.concat(worker.flags().stream(), Stream.of(flag)).toList();
        return new Variant(name, Role.OURS, new Variant.JavaWorker(worker.jdk(), worker.workload(), flags));
    }
}
