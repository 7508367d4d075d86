package dev.carillon.benchmarks.signals;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;

/** From kill(2) to a coroutine that goes on. */
public final class SignalBenchmark {
    private static final long SIGNALS = 200;

    private static final List<Variant> VARIANTS = List.of(
            Variant.oursFfm(CoroutineSignals.class),
            Variant.oursJna(CoroutineSignals.class),
            Variant.peer("sun.misc.Signal-second-jdk", Jdk.SECOND, VmSignals.class),
            Variant.peer("sun.misc.Signal-main-jdk", Jdk.MAIN, VmSignals.class),
            Variant.c("signal.c"));

    private SignalBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "signal",
                "From kill(2) to a coroutine that goes on",
                List.of(
                        // Two hops against one: the handler's thread and the loop take turns on the core.
                        heard("one core", Placement.ONE_CORE, 2.2, 0.25),
                        heard("two cores", Placement.TWO_CORES, 1.3, 0.5)));
    }

    private static Case heard(String name, Placement placement, double ofC, double ofPeer) {
        return Case.named(name, "signal")
                .in(MeasureUnit.NANOS_PER_OP, Measure.SAMPLES)
                .placed(placement)
                .ops(SIGNALS)
                .smokeOps(5)
                .by(VARIANTS)
                .goal(Goal.atMost(Variant.OURS_FFM, ofC, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, ofC, Variant.C))
                .goal(Goal.atMost(Variant.OURS_FFM, ofPeer, Goal.BEST_PEER))
                .goal(Goal.atMost(Variant.OURS_JNA, ofPeer, Goal.BEST_PEER))
                .build();
    }
}
