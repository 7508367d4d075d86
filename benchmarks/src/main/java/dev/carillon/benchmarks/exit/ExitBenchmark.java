package dev.carillon.benchmarks.exit;

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

/** From the last line of a VM to its end: a thread that sleeps in the kernel would hold it up for 300 ms. */
public final class ExitBenchmark {
    private static final double MAX_MILLIS = 20;

    private ExitBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "exit",
                "End of a VM with three loops that sleep",
                List.of(
                        ending("System.exit", "exit", NothingAndExit.class, LoopsAndExit.class),
                        ending("main returns", "return", NothingAndReturn.class, LoopsAndReturn.class)));
    }

    private static Case ending(String name, String work, Class<?> nothing, Class<?> loops) {
        return Case.named(name, work)
                .in(MeasureUnit.MILLIS, Measure.SAMPLES)
                .placed(Placement.FREE)
                .ops(1)
                .by(List.of(
                        vm("empty-main-jdk", Role.BASE, Jdk.MAIN, nothing, List.of()),
                        vm(Variant.OURS_JNA, Role.OURS, Jdk.MAIN, loops, List.of("-Dcarillon.libc=jna")),
                        vm("empty-second-jdk", Role.BASE, Jdk.SECOND, nothing, List.of()),
                        vm(Variant.OURS_FFM, Role.OURS, Jdk.SECOND, loops, List.of("-Dcarillon.libc=ffm"))))
                .goal(Goal.atMost(Variant.OURS_JNA, MAX_MILLIS))
                .goal(Goal.atMost(Variant.OURS_FFM, MAX_MILLIS))
                .build();
    }

    private static Variant vm(String name, Role role, Jdk jdk, Class<?> main, List<String> flags) {
        return new Variant(name, role, new FreshVm(jdk, main.getName(), flags, Archive.NONE, Span.LINE_TO_END));
    }
}
