package dev.carillon.benchmarks.signals

import dev.carillon.Signal.SIGURG
import dev.carillon.SignalSet
import dev.carillon.benchmarks.worker.Workload
import dev.carillon.coroutines.awaitSignal
import dev.carillon.coroutines.dispatcher
import dev.carillon.loop.EventLoop
import dev.carillon.signal.SignalService
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** Ours: a coroutine on a loop waits, again and again. */
public class CoroutineSignals : Workload {
    override fun works(): Map<String, Workload.Opener> =
        mapOf("signal" to Workload.Opener { stage -> SignalWork.open(::listen, stage) })

    private fun listen(heard: Runnable): Listening {
        val loop = EventLoop.open().start()
        val service = SignalService.attach(loop, SignalSet.of(SIGURG))
        CoroutineScope(loop.dispatcher).launch {
            while (true) {
                service.awaitSignal(SIGURG)
                heard.run()
            }
        }
        return Listening { loop.close() }
    }
}
