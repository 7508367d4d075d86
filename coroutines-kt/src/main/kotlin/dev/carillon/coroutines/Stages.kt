package dev.carillon.coroutines

import java.util.concurrent.CompletableFuture

/**
 * Waits for a future that nobody else has; a cancelled wait cancels it.
 *
 * @param undo takes back what came for a coroutine that was cancelled
 */
internal suspend fun <T> awaitStage(
    undo: (T) -> Unit = {},
    stage: () -> CompletableFuture<T>,
): T {
    val wait = StageHandover(undo)
    return wait.await { wait.startOn(stage()) }
}

/** A coroutine that waits for a future. */
private class StageHandover<T>(
    private val undo: (T) -> Unit,
) : Handover<T>() {
    @Volatile
    private var stage: CompletableFuture<T>? = null

    fun startOn(begun: CompletableFuture<T>) {
        stage = begun
        begun.whenComplete { value, failure ->
            if (failure != null) {
                fail(failure)
            } else if (!offer(value)) {
                undo(value)
            }
        }
    }

    override fun giveBack(value: T) = undo(value)

    override fun forget() {
        stage?.cancel(false)
    }
}
