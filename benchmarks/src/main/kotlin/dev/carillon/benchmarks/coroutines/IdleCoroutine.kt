package dev.carillon.benchmarks.coroutines

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlin.time.Duration.Companion.hours

/** A program that sleeps in a coroutine. */
public object IdleCoroutine {
    @JvmStatic
    public fun main(arguments: Array<String>): Unit =
        runBlocking {
            launch(start = CoroutineStart.UNDISPATCHED) { delay(1.hours) }
            sayReady()
        }
}

internal fun sayReady() {
    System.gc()
    println("ready")
}
