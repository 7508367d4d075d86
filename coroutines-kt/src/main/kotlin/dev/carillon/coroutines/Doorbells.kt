@file:JvmName("DoorbellWaits")

package dev.carillon.coroutines

import dev.carillon.shm.doorbell.AsyncDoorbell
import dev.carillon.shm.doorbell.DoorbellEvent
import dev.carillon.shm.doorbell.EventReceiver

// r[impl shm.doorbell.async]

/**
 * Waits for the next ring, or for the death of the peer; look at what you share after it.
 *
 * Rings that came before are one event, which is there at once. Cancellable; a ring that a cancelled coroutine did not
 * take is kept for the next wait. One coroutine at a time.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards; on the dispatcher of the doorbell's loop without
 * another turn.
 *
 * @throws IllegalStateException if another coroutine waits already
 * @throws dev.carillon.ClosedException if the doorbell is closed, before or meanwhile, or its loop ends; a coroutine of a loop
 *     that ends is cancelled instead, with that as the cause
 */
public suspend fun AsyncDoorbell.awaitEvent(): DoorbellEvent {
    val wait = RingHandover(this)
    return wait.await { awaitEvent(wait) }
}

private class RingHandover(
    private val bell: AsyncDoorbell,
) : Handover<DoorbellEvent>(),
    EventReceiver {
    override fun tryReceive(event: DoorbellEvent): Boolean = offer(event)

    override fun refused(why: RuntimeException) {
        fail(why)
    }

    override fun isWaiting(): Boolean = isOpen

    override fun giveBack(value: DoorbellEvent) = bell.giveBack(value)

    override fun forget() = bell.forget(this)
}
