package dev.carillon.benchmarks.garbage;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Variant;
import java.util.List;

/** Operations that must leave no garbage, because services do them without end. */
public final class GarbageBenchmark {
    private static final long MILLIS = 100;
    private static final long SMOKE_MILLIS = 10;

    /** For operations so long that JMH's own garbage would show: some kilobytes in each measurement. */
    private static final long MANY_MILLIS = 500;

    /** No object is smaller than 16 bytes: this is less than one in a hundred calls, which is the VM's own noise. */
    private static final double NOTHING = 0.1;

    private GarbageBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "garbage",
                "Garbage of one operation in steady state",
                List.of(
                        without("eventfd write and read", "eventfd"),
                        without("the same, asking for the buffer's address", "eventfd-of-buffer"),
                        without("read where there is nothing", "nothing-to-read"),
                        without("accesses to shared bytes", "ordered-bytes"),
                        without("post from the loop's thread", "local-post"),
                        without("post from another thread", "foreign-post", MANY_MILLIS),
                        without("timer taken back and set anew", "timer"),
                        without("write to a socket and read that waited", "ready-io", MANY_MILLIS),
                        without("short frame over a link, sent and received", "link-short"),
                        without("long frame over a link, sent and received", "link-long"),
                        without("short claim on a link, committed and received", "link-short-claim"),
                        without("long claim on a link, committed and received", "link-long-claim"),
                        without("frame on a channel, received by the link", "link-channel"),
                        without("frame on a channel, received by the channel", "link-channels-own")));
    }

    private static Case without(String name, String work) {
        return without(name, work, MILLIS);
    }

    private static Case without(String name, String work, long millis) {
        return Case.named(name, work)
                .in(MeasureUnit.BYTES_PER_OP, Measure.VALUE)
                .ops(millis)
                .smokeOps(SMOKE_MILLIS)
                .by(List.of(Variant.oursFfm(GarbageWorkload.class), Variant.oursJna(GarbageWorkload.class)))
                .goal(Goal.atMost(Variant.OURS_FFM, NOTHING))
                .goal(Goal.atMost(Variant.OURS_JNA, NOTHING))
                .build();
    }
}
