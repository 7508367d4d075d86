package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;

/** Messages one way between two processes on two cores; nobody sleeps. */
public final class ShmBenchmark {
    private static final String C_SOURCE = "shm.c";
    private static final long ONE_BY_ONE = 300_000;
    private static final long IN_BATCHES = 1_000_000;
    private static final long SMOKE = 1_000;
    private static final long MESSAGES_OF_64_KIB = 40_000;
    private static final long MESSAGES_OF_1_MIB = 2_500;
    private static final long LARGE_SMOKE = 8;

    private static final String AGRONA_MAIN = "agrona-main-jdk";
    private static final String AGRONA_SECOND = "agrona-second-jdk";
    private static final String FFM_IN_PLACE = "ours-ffm-in-place";
    private static final String JNA_IN_PLACE = "ours-jna-in-place";
    private static final double BATCHES_OVER_AGRONA = 4;
    private static final double OF_C = 0.9;
    private static final double OF_C_ON_17 = 0.8;

    private static final Variant AERON =
            Variant.peer("aeron-second-jdk", Jdk.SECOND, ShmWorkload.Aeron.class, AgronaWire.FLAGS);
    private static final Variant UNIX_SOCKETS =
            Variant.peer("jdk-unix-sockets", Jdk.MAIN, ShmWorkload.UnixSockets.class);

    // A link as its users have it; ours without a word more is the ring and the slots alone, as the C yardstick is.
    private static final Variant FFM_LINK = named("ours-ffm-link", Variant.oursFfm(ShmWorkload.Link.class));
    private static final Variant JNA_LINK = named("ours-jna-link", Variant.oursJna(ShmWorkload.Link.class));

    private static final List<Variant> SMALL = List.of(
            Variant.oursFfm(ShmWorkload.Carillon.class),
            FFM_LINK,
            Variant.peer(AGRONA_SECOND, Jdk.SECOND, ShmWorkload.Agrona.class, AgronaWire.FLAGS),
            AERON,
            Variant.oursJna(ShmWorkload.Carillon.class),
            JNA_LINK,
            Variant.peer(AGRONA_MAIN, Jdk.MAIN, ShmWorkload.Agrona.class, AgronaWire.FLAGS),
            UNIX_SOCKETS,
            Variant.c(C_SOURCE));

    /** It has no batches, and keeps what was sent: some 600 MB in the one case. */
    private static final Variant CHRONICLE =
            Variant.peer("chronicle-main-jdk", Jdk.MAIN, ShmWorkload.Chronicle.class, ChronicleWire.FLAGS);

    private static final List<Variant> LARGE = List.of(
            Variant.oursFfm(ShmWorkload.Carillon.class),
            named(FFM_IN_PLACE, Variant.oursFfm(ShmWorkload.CarillonInPlace.class)),
            FFM_LINK,
            named("ours-ffm-link-in-place", Variant.oursFfm(ShmWorkload.LinkInPlace.class)),
            AERON,
            Variant.oursJna(ShmWorkload.Carillon.class),
            named(JNA_IN_PLACE, Variant.oursJna(ShmWorkload.CarillonInPlace.class)),
            JNA_LINK,
            named("ours-jna-link-in-place", Variant.oursJna(ShmWorkload.LinkInPlace.class)),
            UNIX_SOCKETS,
            Variant.c(C_SOURCE),
            c("in-place"),
            c("copy-loop"),
            c("receive-loop"));

    private ShmBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "shm",
                "Messages one way between two processes that do not sleep",
                List.of(
                        oneByOne(),
                        batches(16).build(),
                        batchesOf64(),
                        large("64 KiB in slots", "64-kib", MESSAGES_OF_64_KIB),
                        large("1 MiB in slots", "1-mib", MESSAGES_OF_1_MIB)));
    }

    /** Another yardstick: the first one counts. */
    private static Variant c(String how) {
        return new Variant(Variant.C + "-" + how, Role.YARDSTICK, new Variant.CWorker(C_SOURCE, List.of(how)));
    }

    private static Variant named(String name, Variant variant) {
        return new Variant(name, variant.role(), variant.launch());
    }

    private static Case oneByOne() {
        return small("64 B, one by one", "one-by-one")
                .ops(ONE_BY_ONE)
                .by(List.of(CHRONICLE))
                .goal(Goal.atLeast(Variant.OURS_FFM, 1, AGRONA_SECOND))
                .goal(Goal.atLeast(Variant.OURS_JNA, 1, AGRONA_MAIN))
                .build();
    }

    private static Case batchesOf64() {
        return batches(64)
                .goal(Goal.atLeast(Variant.OURS_FFM, BATCHES_OVER_AGRONA, AGRONA_SECOND))
                .goal(Goal.atLeast(Variant.OURS_JNA, BATCHES_OVER_AGRONA, AGRONA_MAIN))
                .goal(Goal.atLeast(Variant.OURS_FFM, OF_C, Variant.C))
                .goal(Goal.atLeast(Variant.OURS_JNA, OF_C_ON_17, Variant.C))
                .build();
    }

    private static Case.Builder batches(int batch) {
        return small("64 B, batches of " + batch, "batch-" + batch).ops(IN_BATCHES);
    }

    private static Case.Builder small(String name, String work) {
        return rate(name, work).smokeOps(SMOKE).by(SMALL);
    }

    private static Case large(String name, String work, long ops) {
        return rate(name, work)
                .ops(ops)
                .smokeOps(LARGE_SMOKE)
                .by(LARGE)
                .goal(Goal.atLeast(Variant.OURS_FFM, OF_C, Variant.C))
                .goal(Goal.atLeast(Variant.OURS_JNA, OF_C, Variant.C))
                .goal(Goal.atLeast(FFM_IN_PLACE, 1, Variant.OURS_FFM))
                .goal(Goal.atLeast(JNA_IN_PLACE, 1, Variant.OURS_JNA))
                .build();
    }

    private static Case.Builder rate(String name, String work) {
        return Case.named(name, work)
                .in(MeasureUnit.OPS_PER_SECOND, Measure.TOTAL)
                .placed(Placement.TWO_CORES);
    }
}
