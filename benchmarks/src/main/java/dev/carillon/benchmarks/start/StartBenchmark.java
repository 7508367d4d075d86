package dev.carillon.benchmarks.start;

import dev.carillon.benchmarks.coroutines.FirstAwait;
import dev.carillon.benchmarks.coroutines.FirstCoroutine;
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

/** From the start of a VM to its first line of output, with and without what is ours before it. */
public final class StartBenchmark {
    private static final String EMPTY_MAIN = "empty-main-jdk";
    private static final String EMPTY_SECOND = "empty-second-jdk";
    private static final String JNA = "-Dcarillon.libc=jna";
    private static final String FFM = "-Dcarillon.libc=ffm";

    private StartBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "start",
                "Start of a VM to its first line of output",
                List.of(
                        starting("a VM's first system call", "first-call", NoCall.class, FirstCall.class),
                        starting("a VM's first awaitSignal", "first-await", FirstCoroutine.class, FirstAwait.class)));
    }

    private static Case starting(String name, String work, Class<?> empty, Class<?> ours) {
        List<Variant> variants = List.of(
                vm(EMPTY_MAIN, Role.BASE, Jdk.MAIN, empty, Archive.NONE),
                vm(Variant.OURS_JNA, Role.OURS, Jdk.MAIN, ours, Archive.NONE, JNA),
                vm("ours-jna-archive", Role.OURS, Jdk.MAIN, ours, Archive.CLASS_DATA, JNA),
                vm(EMPTY_SECOND, Role.BASE, Jdk.SECOND, empty, Archive.NONE),
                vm(Variant.OURS_FFM, Role.OURS, Jdk.SECOND, ours, Archive.NONE, FFM),
                vm("ours-ffm-archive", Role.OURS, Jdk.SECOND, ours, Archive.CLASS_DATA, FFM),
                vm("ours-ffm-aot-cache", Role.OURS, Jdk.SECOND, ours, Archive.AOT_CACHE, FFM));
        return Case.named(name, work)
                .in(MeasureUnit.MILLIS, Measure.SAMPLES)
                .placed(Placement.FREE)
                .ops(1)
                .by(variants)
                .goal(Goal.atMostMore(Variant.OURS_JNA, 80, EMPTY_MAIN))
                .goal(Goal.atMostMore(Variant.OURS_FFM, 80, EMPTY_SECOND))
                .goal(Goal.atMostMore("ours-ffm-archive", 45, EMPTY_SECOND))
                .goal(Goal.atMostMore("ours-ffm-aot-cache", 35, EMPTY_SECOND))
                .build();
    }

    private static Variant vm(String name, Role role, Jdk jdk, Class<?> main, Archive archive, String... flags) {
        FreshVm vm = new FreshVm(jdk, main.getName(), List.of(flags), archive, Span.START_TO_LINE);
        return new Variant(name, role, vm);
    }
}
