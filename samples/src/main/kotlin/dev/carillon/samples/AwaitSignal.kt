package dev.carillon.samples

import dev.carillon.Signal.SIGHUP
import dev.carillon.Signal.SIGINT
import dev.carillon.Signal.SIGTERM
import dev.carillon.Signal.SIGUSR1
import dev.carillon.coroutines.awaitAnySignal
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** Tells who sends it a signal, until it is told to end. */
fun main(): Unit =
    runBlocking {
        // Undispatched: the signals are ours when somebody reads the pid.
        launch(start = CoroutineStart.UNDISPATCHED) {
            do {
                val info = awaitAnySignal(SIGHUP, SIGUSR1, SIGINT, SIGTERM)
                println("${info.signal()} from pid ${info.pid()}, uid ${info.uid()}")
            } while (info.signal() != SIGINT && info.signal() != SIGTERM)
        }
        println("pid=${ProcessHandle.current().pid()}")
    }
