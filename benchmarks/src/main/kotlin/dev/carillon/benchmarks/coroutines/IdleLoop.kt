package dev.carillon.benchmarks.coroutines

import dev.carillon.Signal.SIGTERM
import dev.carillon.coroutines.awaitSignal
import dev.carillon.coroutines.dispatcher
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** A program that waits for a signal on a loop of its own. */
public object IdleLoop {
    @JvmStatic
    public fun main(arguments: Array<String>): Unit =
        EventLoop.open().start().use { loop ->
            runBlocking(loop.dispatcher) {
                launch(start = CoroutineStart.UNDISPATCHED) { loop.awaitSignal(SIGTERM) }
                sayReady()
            }
        }
}
