package dev.carillon.samples.demo

import dev.carillon.coroutines.runService
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.time.Duration
import java.util.concurrent.CountDownLatch
import kotlin.time.Duration.Companion.milliseconds

/** A service with a request in flight; started with a word, it has a hook that hangs. */
fun main(arguments: Array<String>) {
    runService(configure = { timeout(Duration.ofMinutes(1)).doubleTapWindow(Duration.ofMinutes(1)) }) {
        onShutdown("storage") {
            if (arguments.isNotEmpty()) {
                println("a hook hangs")
                CountDownLatch(1).await()
            }
            println("the storage is closed")
        }
        onStopAccepting("listener") { println("no request is accepted any more") }
        launch {
            println("ready")
            try {
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { delay(100.milliseconds) }
                println("the last request is answered")
            }
        }
    }
}
