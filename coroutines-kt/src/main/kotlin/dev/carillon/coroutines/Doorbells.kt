@file:JvmName("DoorbellWaits")

package dev.carillon.coroutines

import dev.carillon.shm.doorbell.AsyncDoorbell
import dev.carillon.shm.doorbell.DoorbellEvent
import dev.carillon.shm.doorbell.EventReceiver
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resumeWithException

// r[impl shm.doorbell.async]

/**
 * Waits for the next ring, or for the death of the peer; look at what you share after it.
 *
 * Rings that nobody waited for are one event, which is there at once. Cancellable; a ring that a cancelled coroutine did not
 * take is kept for the next wait. One coroutine at a time.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards; on the dispatcher of the doorbell's loop without
 * another turn.
 *
 * @throws IllegalStateException if somebody waits already
 * @throws dev.carillon.ClosedException if the doorbell is closed, before or meanwhile
 */
public suspend fun AsyncDoorbell.awaitEvent(): DoorbellEvent {
    currentCoroutineContext().ensureActive()
    return suspendCancellableCoroutine { continuation ->
        val receiver = SuspendedReceiver(this, continuation)
        awaitEvent(receiver)
        continuation.invokeOnCancellation { forget(receiver) }
    }
}

private class SuspendedReceiver(
    private val bell: AsyncDoorbell,
    private val continuation: CancellableContinuation<DoorbellEvent>,
) : EventReceiver {
    override fun tryReceive(event: DoorbellEvent): Boolean {
        if (!continuation.isActive) {
            return false
        }
        continuation.handOver(event, bell.loop()) { bell.giveBack(event) }
        return true
    }

    override fun refused(why: RuntimeException) = continuation.resumeWithException(why)

    override fun isWaiting(): Boolean = continuation.isActive
}
