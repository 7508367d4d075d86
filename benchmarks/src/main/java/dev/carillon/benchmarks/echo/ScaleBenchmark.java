package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.loops.NettyLoop;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.CWorker;
import dev.carillon.benchmarks.model.Variant.JavaWorker;
import dev.carillon.benchmarks.model.Variant.Jdk;
import java.util.ArrayList;
import java.util.List;

/** What an event costs among thousands of connections that lie idle, compared with ten. */
public final class ScaleBenchmark {
    private static final long MESSAGES = 10_000;
    private static final long SMOKE = 200;
    private static final int FEW = 10;
    private static final int MANY = 10_000;
    private static final double FLAT = 1.1;
    private static final String AMONG_FEW = "-10-idle";

    private ScaleBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        List<Variant> variants = new ArrayList<>();
        for (Variant variant : List.of(
                Variant.oursFfm(EchoWorkload.Carillon.class),
                Variant.oursJna(EchoWorkload.Carillon.class),
                Variant.peer("netty-epoll", Jdk.SECOND, EchoWorkload.NettyEpoll.class, NettyLoop.FLAGS),
                Variant.c("echo.c"))) {
            variants.add(among(MANY, variant.name(), variant.role(), variant));
            variants.add(among(FEW, variant.name() + AMONG_FEW, Role.BASE, variant));
        }
        Case scale = Case.named("an echo, 100 connections active, 10,000 idle", "scale")
                .placed(Placement.TWO_CORES)
                .ops(MESSAGES)
                .smokeOps(SMOKE)
                .by(variants)
                .goal(Goal.atMost(Variant.OURS_FFM, FLAT, Variant.OURS_FFM + AMONG_FEW))
                .goal(Goal.atMost(Variant.OURS_JNA, FLAT, Variant.OURS_JNA + AMONG_FEW))
                .build();
        return new Benchmark("scale", "Cost of an event among idle connections", List.of(scale));
    }

    private static Variant among(int idle, String name, Role role, Variant variant) {
        if (variant.launch() instanceof JavaWorker java) {
            List<String> flags = new ArrayList<>(java.flags());
            flags.add("-D" + EchoWorkload.IDLE + "=" + idle);
            return EchoBenchmark.loaded(new Variant(name, role, new JavaWorker(java.jdk(), java.workload(), flags)));
        }
        return new Variant(name, role, new CWorker("echo.c", List.of(Integer.toString(idle))));
    }
}
