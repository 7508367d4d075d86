package dev.carillon.benchmarks.start;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Archive;
import dev.carillon.benchmarks.model.Variant.FreshVm;
import dev.carillon.benchmarks.model.Variant.Jdk;
import dev.carillon.benchmarks.model.Variant.Span;
import java.util.List;

/** From the start of a VM to its first line of output, with and without a system call before it. */
public final class StartBenchmark {
    private static final String EMPTY_MAIN = "empty-main-jdk";
    private static final String EMPTY_SECOND = "empty-second-jdk";
    private static final String JNA = "-Dcarillon.libc=jna";
    private static final String FFM = "-Dcarillon.libc=ffm";

    /** What ./carillon passes as well: reflection, through which java.lang.foreign is reached, makes no method handles. */
    private static final String PLAIN_REFLECTION = "-Djdk.reflect.useNativeAccessorOnly=true";

    private StartBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        List<Variant> variants = List.of(
                empty(EMPTY_MAIN, Jdk.MAIN),
                ours(Variant.OURS_JNA, Jdk.MAIN, Archive.NONE, JNA),
                ours("ours-jna-archive", Jdk.MAIN, Archive.CLASS_DATA, JNA),
                empty(EMPTY_SECOND, Jdk.SECOND),
                ours(Variant.OURS_FFM, Jdk.SECOND, Archive.NONE, FFM),
                ours("ours-ffm-archive", Jdk.SECOND, Archive.CLASS_DATA, FFM, PLAIN_REFLECTION),
                ours("ours-ffm-aot-cache", Jdk.SECOND, Archive.AOT_CACHE, FFM, PLAIN_REFLECTION));
        Case firstCall = Case.named("a VM's first system call", "first-call")
                .in(MeasureUnit.MILLIS, Measure.SAMPLES)
                .placed(Placement.FREE)
                .ops(1)
                .by(variants)
                .goal(Goal.atMostMore(Variant.OURS_JNA, 80, EMPTY_MAIN))
                .goal(Goal.atMostMore(Variant.OURS_FFM, 80, EMPTY_SECOND))
                .goal(Goal.atMostMore("ours-ffm-archive", 45, EMPTY_SECOND))
                .goal(Goal.atMostMore("ours-ffm-aot-cache", 35, EMPTY_SECOND))
                .build();
        return new Benchmark("start", "Start of a VM to its first line of output", List.of(firstCall));
    }

    private static Variant empty(String name, Jdk jdk) {
        FreshVm vm = new FreshVm(jdk, NoCall.class.getName(), List.of(), Archive.NONE, Span.START_TO_LINE);
        return new Variant(name, Role.BASE, vm);
    }

    private static Variant ours(String name, Jdk jdk, Archive archive, String... flags) {
        FreshVm vm = new FreshVm(jdk, FirstCall.class.getName(), List.of(flags), archive, Span.START_TO_LINE);
        return new Variant(name, Role.OURS, vm);
    }
}
