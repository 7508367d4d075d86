package dev.carillon.benchmarks.coroutines

import dev.carillon.Signal.SIGTERM
import dev.carillon.coroutines.awaitSignal
import dev.carillon.coroutines.prepareSignals
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** A program whose first coroutine waits for a signal, when it prints its line. */
public object FirstAwait {
    @JvmStatic
    public fun main(arguments: Array<String>): Unit =
        runBlocking {
            prepareSignals(SIGTERM)
            val waiting = launch(start = CoroutineStart.UNDISPATCHED) { awaitSignal(SIGTERM) }
            println("ready")
            waiting.cancel()
        }
}
