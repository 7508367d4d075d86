package dev.carillon.samples

import dev.carillon.Signal.SIGHUP
import dev.carillon.Signal.SIGINT
import dev.carillon.Signal.SIGTERM
import dev.carillon.Signal.SIGUSR1
import dev.carillon.coroutines.awaitAnySignal
import dev.carillon.coroutines.prepareSignals
import kotlinx.coroutines.runBlocking

/** Prints who sends it a signal; SIGINT and SIGTERM end it. */
fun main(): Unit =
    runBlocking {
        // From here on a signal waits for us and ends nothing.
        prepareSignals(SIGHUP, SIGUSR1, SIGINT, SIGTERM)
        println("pid=${ProcessHandle.current().pid()}")
        do {
            val info = awaitAnySignal(SIGHUP, SIGUSR1, SIGINT, SIGTERM)
            println("${info.signal()} from pid ${info.pid()}, uid ${info.uid()}")
        } while (info.signal() != SIGINT && info.signal() != SIGTERM)
    }
