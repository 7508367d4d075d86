@file:JvmName("ChildWaits")

package dev.carillon.coroutines

import dev.carillon.ExitStatus
import dev.carillon.Signal
import dev.carillon.loop.Watch
import dev.carillon.process.Child
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

// r[impl kt.process]

/**
 * Waits for the child's end, and tells how it ended; asking after its end gives the same.
 *
 * Cancellable; the child goes on then, and its end can be asked for again.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @throws IllegalStateException if somebody else took its end
 */
public suspend fun Child.awaitExit(): ExitStatus =
    suspendCancellableCoroutine { continuation ->
        val watch: Watch =
            onExit { status, failure ->
                if (status != null) {
                    continuation.resume(status)
                } else {
                    continuation.resumeWithException(checkNotNull(failure) { "neither a status nor a failure" })
                }
            }
        continuation.invokeOnCancellation { watch.close() }
    }

/**
 * Waits for the child's end as [awaitExit] does; a cancelled coroutine ends the child first.
 *
 * It sends SIGTERM, after [grace] SIGKILL, and comes back when the child is gone. So a child that was started in a scope
 * does not outlive it.
 */
public suspend fun Child.awaitExitOrEnd(grace: Duration = 5.seconds): ExitStatus =
    try {
        awaitExit()
    } catch (cancelled: CancellationException) {
        withContext(NonCancellable) { end(grace) }
        throw cancelled
    }

private suspend fun Child.end(grace: Duration) {
    send(Signal.SIGTERM)
    if (withTimeoutOrNull(grace) { awaitExit() } == null) {
        kill()
        awaitExit()
    }
}
