package dev.carillon.benchmarks.syscalls;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Goal;
import dev.carillon.benchmarks.model.Variant;
import java.util.List;

/** One system call, or a pair, through our door and in C. */
public final class SyscallsBenchmark {
    private static final List<Variant> VARIANTS = List.of(
            Variant.oursFfm(SyscallsWorkload.class),
            Variant.oursJna(SyscallsWorkload.class),
            Variant.c("syscalls.c"),
            Variant.cWithOneThread("syscalls.c"));

    private SyscallsBenchmark() {}

    /** Returns the benchmark. */
    public static Benchmark define() {
        return new Benchmark(
                "syscalls",
                "System calls through our door to C, and the same calls in C",
                List.of(
                        call("getppid", "getppid", 300_000).build(),
                        withGoals(call("eventfd write and read", "eventfd", 100_000)),
                        withGoals(call("epoll_pwait2 without waiting", "epoll", 200_000)),
                        call("futex wake, nobody waits", "futex-wake", 200_000).build(),
                        call("read that fails with EBADF", "failing-read", 200_000)
                                .build()));
    }

    private static Case.Builder call(String name, String work, long ops) {
        return Case.named(name, work).ops(ops).by(VARIANTS);
    }

    private static Case withGoals(Case.Builder builder) {
        return builder.goal(Goal.atMost(Variant.OURS_FFM, 1.25, Variant.C))
                .goal(Goal.atMost(Variant.OURS_JNA, 2.2, Variant.C))
                .build();
    }
}
