package dev.carillon.benchmarks.coroutines

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** A program whose first coroutine waits for nothing, when it prints its line. */
public object FirstCoroutine {
    @JvmStatic
    public fun main(arguments: Array<String>): Unit =
        runBlocking {
            val waiting = launch(start = CoroutineStart.UNDISPATCHED) { awaitCancellation() }
            println("ready")
            waiting.cancel()
        }
}
