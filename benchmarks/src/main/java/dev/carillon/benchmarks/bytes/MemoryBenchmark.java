package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.ArrayList;
import java.util.List;

/** One access to shared bytes: ours, a bare VarHandle on the same JDK, and C. */
public final class MemoryBenchmark {
    private static final List<String> ACCESSES = List.of(
            "get",
            "put",
            "get-acquire",
            "put-release",
            "get-volatile",
            "put-volatile",
            "compare-and-set",
            "get-and-add");
    private static final String BARE_MAIN = "varhandle-main-jdk";
    private static final String BARE_SECOND = "varhandle-second-jdk";
    private static final String FIELD_MAIN = "field-main-jdk";
    private static final String FIELD_SECOND = "field-second-jdk";

    /** Where the order forbids to keep a field in a register: the variants with a field show what that costs. */
    private static final List<String> RELOADING = List.of("long-get-acquire", "long-put-release", "long-get-volatile");

    private static final long OPS = 4_000_000;
    private static final long SMOKE_OPS = 1000;

    private MemoryBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        List<Variant> variants = List.of(
                Variant.oursJna(BytesWorkload.class),
                Variant.peer(BARE_MAIN, Jdk.MAIN, BareWorkload.class),
                Variant.oursFfm(BytesWorkload.class),
                Variant.peer(BARE_SECOND, Jdk.SECOND, BareWorkload.class),
                Variant.c("memory.c"));
        List<Variant> withFields = new ArrayList<>(variants);
        withFields.add(Variant.peer(FIELD_MAIN, Jdk.MAIN, FieldWorkload.class));
        withFields.add(Variant.peer(FIELD_SECOND, Jdk.SECOND, FieldWorkload.class));
        List<Case> cases = new ArrayList<>();
        for (String type : List.of("int", "long")) {
            for (String access : ACCESSES) {
                cases.add(Case.named(type + " " + access.replace('-', ' '), type + "-" + access)
                        .ops(OPS)
                        .smokeOps(SMOKE_OPS)
                        .by(RELOADING.contains(type + "-" + access) ? withFields : variants)
                        .goal(Goal.atMost(Variant.OURS_JNA, 1.2, BARE_MAIN))
                        .goal(Goal.atMost(Variant.OURS_FFM, 1.2, BARE_SECOND))
                        .build());
            }
        }
        return new Benchmark("memory", "Accesses to shared bytes", cases);
    }
}
