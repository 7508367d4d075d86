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

/** Echo servers with one thread, under the same load. */
public final class EchoBenchmark {
    private static final long TRIPS = 2_000;
    private static final long MESSAGES = 5_000;
    private static final long SMOKE = 1_000;
    private static final double OF_C = 1.2;
    private static final String NETTY_MAIN = "netty-epoll-main-jdk";
    private static final String NETTY_SECOND = "netty-epoll-second-jdk";

    private static final List<Variant> VARIANTS = List.of(
            loaded(Variant.oursFfm(EchoWorkload.Carillon.class)),
            loaded(Variant.peer(NETTY_SECOND, Jdk.SECOND, EchoWorkload.NettyEpoll.class, NettyLoop.FLAGS)),
            loaded(Variant.peer("netty-uring", Jdk.SECOND, EchoWorkload.NettyUring.class, NettyLoop.FLAGS)),
            loaded(Variant.peer("nio-second-jdk", Jdk.SECOND, EchoWorkload.Nio.class)),
            loaded(Variant.oursJna(EchoWorkload.Carillon.class)),
            loaded(Variant.peer(NETTY_MAIN, Jdk.MAIN, EchoWorkload.NettyEpoll.class, NettyLoop.FLAGS)),
            Variant.c("echo.c"));

    private EchoBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        List<Case> cases = new ArrayList<>();
        for (String transport : List.of("TCP", "Unix")) {
            String work = transport.equals("TCP") ? "tcp-" : "unix-";
            cases.add(roundTrip(transport + ", 1 connection", work + "1"));
            for (String connections : List.of("64", "1,000")) {
                String name = transport + ", " + connections + " connections, ";
                String many = work + connections.replace(",", "");
                cases.add(throughput(name + "one core", many, Placement.ONE_CORE));
                cases.add(throughput(name + "two cores", many, Placement.TWO_CORES));
            }
        }
        return new Benchmark("echo", "Echo servers with one thread", cases);
    }

    /** Returns the variant with the program for the load. */
    static Variant loaded(Variant variant) {
        return variant.with("load.c");
    }

    private static Case roundTrip(String name, String work) {
        return Case.named(name, work)
                .ops(TRIPS)
                .by(VARIANTS)
                .goal(Goal.atMost(Variant.OURS_FFM, OF_C, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, OF_C, Variant.C))
                .build();
    }

    private static Case throughput(String name, String work, Placement placement) {
        return Case.named(name, work)
                .in(MeasureUnit.OPS_PER_SECOND, Measure.TOTAL)
                .placed(placement)
                .ops(MESSAGES)
                .smokeOps(SMOKE)
                .by(VARIANTS)
                .goal(Goal.atLeast(Variant.OURS_FFM, 1, NETTY_SECOND))
                .goal(Goal.atLeast(Variant.OURS_JNA, 1, NETTY_MAIN))
                .build();
    }
}
