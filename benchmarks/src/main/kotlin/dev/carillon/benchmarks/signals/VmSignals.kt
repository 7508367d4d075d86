package dev.carillon.benchmarks.signals

import dev.carillon.benchmarks.worker.Workload
import sun.misc.Signal
import sun.misc.SignalHandler
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicReference

/**
 * With what the JDK has: its handler, which runs on a new thread each time, completes a future.
 *
 * In Kotlin, since javac warns of that class, and nothing can silence it.
 */
public class VmSignals : Workload {
    override fun works(): Map<String, Workload.Opener> =
        mapOf("signal" to Workload.Opener { stage -> SignalWork.open(::listen, stage) })

    private fun listen(heard: Runnable): Listening {
        val next = AtomicReference(awaited(heard))
        val urgent = Signal("URG")
        val before: SignalHandler = Signal.handle(urgent) { next.getAndSet(awaited(heard)).complete(it) }
        return Listening { Signal.handle(urgent, before) }
    }

    private fun awaited(heard: Runnable) = CompletableFuture<Signal>().also { it.thenRun(heard) }
}
