package dev.carillon.samples.demo

import dev.carillon.Signal.SIGHUP
import dev.carillon.Signal.SIGTERM
import dev.carillon.Signal.SIGUSR1
import dev.carillon.coroutines.awaitAnySignal
import dev.carillon.coroutines.prepareSignals
import kotlinx.coroutines.runBlocking
import kotlin.system.exitProcess

/** A service: it tells who sends it a signal, and ends with SIGTERM as others expect it, with 128 and its number. */
fun main() {
    runBlocking {
        prepareSignals(SIGUSR1, SIGHUP, SIGTERM)
        println("ready")
        do {
            val info = awaitAnySignal(SIGUSR1, SIGHUP, SIGTERM)
            println("${info.signal()} from pid ${info.pid()}, uid ${info.uid()}")
        } while (info.signal() != SIGTERM)
    }
    exitProcess(128 + SIGTERM.number())
}
