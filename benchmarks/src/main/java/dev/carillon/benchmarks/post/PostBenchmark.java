package dev.carillon.benchmarks.post;

import dev.carillon.benchmarks.loops.NettyLoop;
import dev.carillon.benchmarks.loops.TaskWorkload;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.List;

/** Tasks a second that other threads get through a loop. */
public final class PostBenchmark {
    private static final long OPS = 1_000_000;
    private static final String NETTY_MAIN = "netty-main-jdk";
    private static final String NETTY_SECOND = "netty-second-jdk";
    private static final double BETTER_THAN_NETTY = 2.5;

    private static final List<Variant> VARIANTS = List.of(
            Variant.oursJna(TaskWorkload.Carillon.class),
            Variant.peer(NETTY_MAIN, Jdk.MAIN, TaskWorkload.Netty.class, NettyLoop.FLAGS),
            Variant.peer("pool-main-jdk", Jdk.MAIN, TaskWorkload.Pool.class),
            Variant.oursFfm(TaskWorkload.Carillon.class),
            Variant.peer(NETTY_SECOND, Jdk.SECOND, TaskWorkload.Netty.class, NettyLoop.FLAGS),
            Variant.peer("pool-second-jdk", Jdk.SECOND, TaskWorkload.Pool.class),
            Variant.base("array-queue-alone", Jdk.MAIN, TaskWorkload.ArrayQueue.class),
            Variant.base("linked-queue-alone", Jdk.MAIN, TaskWorkload.LinkedQueue.class));

    private PostBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "post",
                "Tasks posted by other threads",
                List.of(posts("one thread posts", "post-1"), posts("four threads post", "post-4")));
    }

    private static Case posts(String name, String work) {
        return Case.named(name, work)
                .in(MeasureUnit.OPS_PER_SECOND, Measure.TOTAL)
                .placed(Placement.TWO_CORES)
                .ops(OPS)
                .by(VARIANTS)
                .goal(Goal.atLeast(Variant.OURS_JNA, BETTER_THAN_NETTY, NETTY_MAIN))
                .goal(Goal.atLeast(Variant.OURS_FFM, BETTER_THAN_NETTY, NETTY_SECOND))
                .build();
    }
}
