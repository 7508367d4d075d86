package dev.carillon.coroutines

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit
import kotlin.coroutines.EmptyCoroutineContext

/**
 * Gives Dispatchers.Default something to do once a second.
 *
 * Its scheduler can leave a task in the queue while all its workers sleep, until the next task comes
 * (github.com/Kotlin/kotlinx.coroutines/issues/4491). A program has a next one; a test with one coroutine has none, and
 * would wait for ever. A coroutine that was not resumed at all is not helped by this.
 */
internal class Nudges : AutoCloseable {
    @Volatile
    private var isOver = false

    init {
        later()
    }

    private fun later() = LATER.execute(::nudge)

    private fun nudge() {
        if (!isOver) {
            Dispatchers.Default.dispatch(EmptyCoroutineContext, Runnable { })
            later()
        }
    }

    override fun close() {
        isOver = true
    }

    private companion object {
        private val LATER: Executor = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run)
    }
}
