package dev.carillon.benchmarks.coroutines

import dev.carillon.benchmarks.loops.NettyLoop
import dev.carillon.benchmarks.model.Benchmark
import dev.carillon.benchmarks.model.Case
import dev.carillon.benchmarks.model.Goal
import dev.carillon.benchmarks.model.Measure
import dev.carillon.benchmarks.model.MeasureUnit
import dev.carillon.benchmarks.model.Variant
import dev.carillon.benchmarks.model.Variant.Jdk

/** Two coroutines take turns on one thread: with what kotlinx.coroutines has, and with what is confined to our loop. */
public object CoroutinesBenchmark {
    private const val OPS = 500_000L
    private const val NOTHING = 0.1
    private const val NETTY = "netty-epoll"
    private const val SINGLE = "single-thread-context"

    /** Returns the benchmark. */
    @JvmStatic
    public fun define(): Benchmark =
        Benchmark(
            "coroutines",
            "Turns of coroutines on one loop",
            on(Jdk.MAIN) + on(Jdk.SECOND),
        )

    private fun on(jdk: Jdk): List<Case> {
        val ours =
            if (jdk == Jdk.MAIN) Variant.oursJna(LoopPings::class.java) else Variant.oursFfm(LoopPings::class.java)
        val netty = Variant.peer(NETTY, jdk, NettyPings::class.java, NettyLoop.FLAGS)
        val single = Variant.peer(SINGLE, jdk, SingleThreadPings::class.java)
        val kotlinx =
            listOf(
                Variant.peer("default-limited-1", jdk, LimitedPings::class.java),
                single,
                Variant.peer("run-blocking", jdk, BlockingPings::class.java),
            )
        val all = listOf(ours, netty) + kotlinx
        val where = if (jdk == Jdk.MAIN) "main JDK" else "second JDK"
        val yields = turns("yield, $where", "yield", all).goal(Goal.atMost(ours.name(), 1 / 1.1, NETTY))
        // Against the best of them, so against each.
        kotlinx.forEach { yields.goal(Goal.atMost(ours.name(), 1 / 1.5, it.name())) }
        return listOf(
            yields.build(),
            turns("rendezvous channel, $where", "rendezvous", all).build(),
            turns("yieldOnLoop against yield, $where", "own-yield", all)
                .goal(Goal.atMost(ours.name(), 1 / 1.3, Goal.BEST_PEER))
                .build(),
            turns("LoopChannel against Channel, $where", "own-rendezvous", all)
                .goal(Goal.atMost(ours.name(), 1 / 3.0, Goal.BEST_PEER))
                .build(),
            turns("LoopChannel of 16 against Channel of 16, $where", "own-buffered", all).build(),
            garbage("garbage of yield, $where", "yield", listOf(ours, netty, single), ours),
            garbage("garbage of yieldOnLoop, $where", "own-yield", listOf(ours, netty, single), ours),
            turns(
                "garbage of LoopChannel against Channel, $where",
                "garbage-own-rendezvous",
                listOf(ours, netty, single),
            ).`in`(MeasureUnit.BYTES_PER_OP, Measure.VALUE)
                .goal(Goal.atMost(ours.name(), 1.0, SINGLE))
                .build(),
        )
    }

    private fun turns(
        name: String,
        work: String,
        variants: List<Variant>,
    ): Case.Builder = Case.named(name, work).ops(OPS).by(variants)

    private fun garbage(
        name: String,
        work: String,
        variants: List<Variant>,
        ours: Variant,
    ): Case =
        turns(name, "garbage-$work", variants)
            .`in`(MeasureUnit.BYTES_PER_OP, Measure.VALUE)
            .goal(Goal.atMost(ours.name(), NOTHING))
            .goal(Goal.atMost(ours.name(), 1.0, SINGLE))
            .build()
}
