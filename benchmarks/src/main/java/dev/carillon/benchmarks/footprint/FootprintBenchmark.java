package dev.carillon.benchmarks.footprint;

import dev.carillon.benchmarks.coroutines.IdleCoroutine;
import dev.carillon.benchmarks.coroutines.IdleLoop;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.IdleVm;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.ArrayList;
import java.util.List;

/** The memory of a VM with a loop that waits for a signal, beside one that sleeps in a coroutine. */
public final class FootprintBenchmark {
    private static final double MAX_MORE = 12;
    private static final String EMPTY_MAIN = "empty-main-jdk";
    private static final String EMPTY_SECOND = "empty-second-jdk";

    /** A heap that is all there from the beginning: how far it would have grown is not what is asked here. */
    private static final List<String> HEAP = List.of("-XX:+UseSerialGC", "-Xms16m", "-Xmx16m");

    private FootprintBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "footprint",
                "Memory of a VM that waits for a signal on a loop",
                List.of(
                        idling("resident memory", "Rss", List.of()),
                        idling("resident memory, serial collector with a heap of 16 MiB", "Rss", HEAP),
                        idling("its share, where pages are shared with other VMs", "Pss", List.of())));
    }

    private static Variant vm(String name, Role role, Jdk jdk, Class<?> main, List<String> heap, String... flags) {
        List<String> all = new ArrayList<>(heap);
        all.addAll(List.of(flags));
        return new Variant(name, role, new IdleVm(jdk, main.getName(), all));
    }

    private static Case idling(String name, String field, List<String> heap) {
        return Case.named(name, field)
                .in(MeasureUnit.MEBIBYTES, Measure.VALUE)
                .placed(Placement.FREE)
                .ops(1)
                .by(List.of(
                        vm(EMPTY_MAIN, Role.BASE, Jdk.MAIN, IdleCoroutine.class, heap),
                        vm(Variant.OURS_JNA, Role.OURS, Jdk.MAIN, IdleLoop.class, heap, "-Dcarillon.libc=jna"),
                        vm(EMPTY_SECOND, Role.BASE, Jdk.SECOND, IdleCoroutine.class, heap),
                        vm(Variant.OURS_FFM, Role.OURS, Jdk.SECOND, IdleLoop.class, heap, "-Dcarillon.libc=ffm")))
                .goal(Goal.atMostMore(Variant.OURS_JNA, MAX_MORE, EMPTY_MAIN))
                .goal(Goal.atMostMore(Variant.OURS_FFM, MAX_MORE, EMPTY_SECOND))
                .build();
    }
}
