package dev.carillon.benchmarks.coroutines

import com.sun.management.ThreadMXBean
import dev.carillon.benchmarks.worker.Figures
import dev.carillon.benchmarks.worker.Stage
import dev.carillon.benchmarks.worker.Work
import dev.carillon.benchmarks.worker.Workload
import kotlinx.coroutines.runBlocking
import java.lang.management.ManagementFactory
import kotlin.coroutines.CoroutineContext

/** The turns of coroutines on one kind of thread; a subclass says which, and what it has of its own. */
public abstract class PingWorkload : Workload {
    /** Somebody's thread for coroutines. */
    internal class Home(
        val context: CoroutineContext,
        val close: () -> Unit,
        val ownYields: suspend (Long) -> Unit = Pings::yields,
        val ownChannel: suspend (Long, Int) -> Unit = Pings::channel,
    )

    internal abstract fun open(): Home

    override fun works(): Map<String, Workload.Opener> {
        val turns =
            mapOf<String, (Home) -> suspend (Long) -> Unit>(
                "yield" to { _ -> Pings::yields },
                "rendezvous" to { _ -> { ops -> Pings.channel(ops, 0) } },
                "own-yield" to { home -> home.ownYields },
                "own-rendezvous" to { home -> { ops -> home.ownChannel(ops, 0) } },
                "own-buffered" to { home -> { ops -> home.ownChannel(ops, CAPACITY) } },
            )
        return turns.mapValues { (_, work) -> Workload.Opener { stage -> timed(stage, open(), work) } } +
            turns.map { (name, work) -> "garbage-$name" to Workload.Opener { stage -> weighed(stage, open(), work) } }
    }

    private fun timed(
        stage: Stage,
        home: Home,
        work: (Home) -> suspend (Long) -> Unit,
    ): Work =
        PingWork(stage, home) { ops, figures ->
            val start = System.nanoTime()
            work(home)(ops)
            figures.nanos(System.nanoTime() - start)
        }

    private fun weighed(
        stage: Stage,
        home: Home,
        work: (Home) -> suspend (Long) -> Unit,
    ): Work =
        PingWork(stage, home) { ops, figures ->
            val before = THREADS.currentThreadAllocatedBytes
            work(home)(ops)
            figures.value((THREADS.currentThreadAllocatedBytes - before).toDouble() / ops)
        }

    private class PingWork(
        private val stage: Stage,
        private val home: Home,
        private val turns: suspend (Long, Figures) -> Unit,
    ) : Work {
        override fun round(
            ops: Long,
            figures: Figures,
        ): Unit =
            runBlocking(home.context) {
                stage.pinFirst()
                turns(ops, figures)
            }

        override fun close(): Unit = home.close()
    }

    private companion object {
        private const val CAPACITY = 16

        /** Threads that stay the same during a round; there is none for others. */
        private val THREADS = ManagementFactory.getThreadMXBean() as ThreadMXBean
    }
}
