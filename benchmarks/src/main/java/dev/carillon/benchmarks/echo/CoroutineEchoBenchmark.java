package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.loops.NettyLoop;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.ArrayList;
import java.util.List;

/** Echo servers as services are written: one coroutine, or one virtual thread, for each connection. */
public final class CoroutineEchoBenchmark {
    private static final long TRIPS = 2_000;
    private static final long MESSAGES = 10_000;
    private static final long SMOKE = 1_000;

    /** Bytes of garbage that a message may leave. */
    private static final double GARBAGE = 200;

    private static final String CALLBACKS = "ours-callbacks";

    private static final List<Variant> VARIANTS = List.of(
            EchoBenchmark.loaded(Variant.oursFfm(LoopCoroutines.class)),
            EchoBenchmark.loaded(Variant.peer("netty-coroutines", Jdk.SECOND, NettyCoroutines.class, NettyLoop.FLAGS)),
            EchoBenchmark.loaded(Variant.peer("vertx", Jdk.SECOND, VertxCoroutines.class, NettyLoop.FLAGS)),
            EchoBenchmark.loaded(Variant.peer("ktor", Jdk.SECOND, KtorCoroutines.class)),
            EchoBenchmark.loaded(Variant.peer(
                    "virtual-threads",
                    Jdk.SECOND,
                    EchoWorkload.VirtualThreads.class,
                    List.of(VirtualThreadEcho.ONE_CARRIER))),
            EchoBenchmark.loaded(Variant.base(CALLBACKS, Jdk.SECOND, EchoWorkload.Carillon.class)));

    private CoroutineEchoBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        List<Case> cases = new ArrayList<>();
        cases.add(ahead(Case.named("TCP, 1 connection", "tcp-1").ops(TRIPS), true));
        for (String connections : List.of("64", "1,000")) {
            String work = "tcp-" + connections.replace(",", "");
            for (Placement placement : List.of(Placement.ONE_CORE, Placement.TWO_CORES)) {
                String where = placement == Placement.ONE_CORE ? "one core" : "two cores";
                Case.Builder many = Case.named("TCP, " + connections + " connections, " + where, work)
                        .in(MeasureUnit.OPS_PER_SECOND, Measure.TOTAL)
                        .placed(placement)
                        .ops(MESSAGES)
                        .smokeOps(SMOKE);
                cases.add(ahead(many, false));
            }
        }
        for (String connections : List.of("1", "64")) {
            cases.add(Case.named("garbage of a message, " + connections + " connections", "garbage-tcp-" + connections)
                    .in(MeasureUnit.BYTES_PER_OP, Measure.VALUE)
                    .ops(MESSAGES)
                    .smokeOps(SMOKE)
                    .by(VARIANTS)
                    .goal(Goal.atMost(Variant.OURS_FFM, GARBAGE))
                    .build());
        }
        return new Benchmark("echo-coroutines", "Echo servers with a coroutine for each connection", cases);
    }

    /** Ahead of each of them, so of the best. */
    private static Case ahead(Case.Builder builder, boolean isTime) {
        return builder.by(VARIANTS)
                .goal(
                        isTime
                                ? Goal.atMost(Variant.OURS_FFM, 1, Goal.BEST_PEER)
                                : Goal.atLeast(Variant.OURS_FFM, 1, Goal.BEST_PEER))
                .build();
    }
}
