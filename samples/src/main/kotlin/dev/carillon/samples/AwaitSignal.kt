package dev.carillon.samples

import dev.carillon.Signal.SIGHUP
import dev.carillon.Signal.SIGINT
import dev.carillon.Signal.SIGTERM
import dev.carillon.Signal.SIGUSR1
import dev.carillon.coroutines.awaitAnySignal
import dev.carillon.coroutines.prepareSignals
import kotlinx.coroutines.runBlocking

/** Tells who sends it a signal, until it is told to end. */
fun main(): Unit =
    runBlocking {
        // The signals are ours when somebody reads the pid.
        prepareSignals(SIGHUP, SIGUSR1, SIGINT, SIGTERM)
        println("pid=${ProcessHandle.current().pid()}")
        do {
            val info = awaitAnySignal(SIGHUP, SIGUSR1, SIGINT, SIGTERM)
            println("${info.signal()} from pid ${info.pid()}, uid ${info.uid()}")
        } while (info.signal() != SIGINT && info.signal() != SIGTERM)
    }
