@file:JvmName("Links")

package dev.carillon.coroutines

import dev.carillon.shm.AsyncLink
import dev.carillon.shm.Frame
import dev.carillon.shm.LinkWaiter
import dev.carillon.shm.SendResult
import dev.carillon.shm.SlotWriter
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.yield

// r[impl kt.link] r[impl kt.shm] r[impl kt.versions]

/**
 * Waits for the next frame and takes it, as a copy; null when the peer is gone and all its frames were received.
 *
 * The coroutine takes the frame from the ring itself, on its turn, after it was found not to be cancelled: so a frame is
 * received or stays in the ring. Cancellable; no frame is lost. One coroutine at a time; on a loop, others have their turn
 * after some frames.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards; on the dispatcher of the link's loop without
 * another turn.
 *
 * @throws IllegalStateException if another coroutine receives already, or the link has failed
 * @throws dev.carillon.ClosedException if the link is closed, before or meanwhile, or its loop ends; a coroutine of a loop that
 *     ends is cancelled instead, with that as the cause
 */
public suspend fun AsyncLink.receive(): Frame? {
    while (true) {
        haveTurn()
        val isOver = isOver()
        val frame = tryReceive()
        // A frame of a channel that was reset is for nobody, and others may come after it.
        if (frame != null || (isOver && !hasFrame())) {
            return frame
        }
        awaitChange({ forget(it) }) { awaitData(it) }
    }
}

/**
 * Sends a frame as soon as there is room for it: SENT, TOO_LARGE or PEER_GONE.
 *
 * Cancellable; a cancelled one has sent nothing. One coroutine at a time, else as [receive].
 */
public suspend fun AsyncLink.send(frame: Frame): SendResult {
    while (true) {
        haveTurn()
        val result = trySend(frame)
        if (!result.isForNow()) {
            return result
        }
        awaitChange({ forget(it) }) { awaitRoom(frame.length(), it) }
    }
}

/**
 * Claims room for a frame as soon as there is some, for [block] to write it where the peer will read it, and to commit it.
 *
 * ```
 * link.claim(size) {
 *     encode(image, it.bytes())
 *     it.commit(IMAGE, 0, id)
 * } ?: link.claimRefusal()
 * ```
 *
 * What [block] has not committed when it ends is given back, also if it throws or is cancelled; it may suspend. One claim at a
 * time is open on a link. Cancellable; a cancelled one has claimed nothing. Else as [send].
 *
 * @return what [block] returns; null if no wait can help, and [AsyncLink.claimRefusal] tells why: TOO_LARGE or PEER_GONE
 */
public suspend inline fun <R> AsyncLink.claim(
    length: Int,
    block: (SlotWriter) -> R,
): R? = awaitClaim(length)?.use(block)

/** Not public: what a `withTimeout` or a `withContext` drops on the way to its caller stays claimed. */
@PublishedApi
internal suspend fun AsyncLink.awaitClaim(length: Int): SlotWriter? {
    while (true) {
        haveTurn()
        val claimed = tryClaim(length)
        if (claimRefusal()?.isForNow() != true) {
            return claimed
        }
        awaitChange({ forget(it) }) { awaitRoom(length, it) }
    }
}

/** Whether it can be worth to wait. */
internal fun SendResult.isForNow() = this == SendResult.RING_FULL || this == SendResult.NO_SLOT

/**
 * Waits until a frame is there, and takes none. False if the peer is gone and all its frames were received. Cancellable, else
 * as [receive].
 */
public suspend fun AsyncLink.awaitData(): Boolean {
    while (true) {
        haveTurn()
        val isOver = isOver()
        val isThere = hasFrame()
        if (isThere || isOver) {
            return isThere
        }
        awaitChange({ forget(it) }) { awaitData(it) }
    }
}

/**
 * Waits until a frame of so many bytes can be sent, which `trySend` does then. False if the peer is gone. Cancellable, else as
 * [send].
 */
public suspend fun AsyncLink.awaitSpace(length: Int = 0): Boolean {
    while (true) {
        haveTurn()
        if (isOver()) {
            return false
        }
        if (hasSpace(length)) {
            return true
        }
        awaitChange({ forget(it) }) { awaitRoom(length, it) }
    }
}

/**
 * The frames of the peer, as copies, until it is gone.
 *
 * Cold. What is not collected stays in the ring, and when that is full the peer's sends wait: this is the backpressure.
 * Cancellable while it waits; a frame that the collector was not given stays. Operators that hold items back (`buffer`,
 * `flowOn`) lose those when they are cancelled. One collector at a time, else as [receive].
 */
public fun AsyncLink.frames(): Flow<Frame> = FrameFlow { receive() }

/** Not `flow {}`: its emit looks for a cancellation before it hands over, and a frame would be lost. */
internal class FrameFlow(
    private val next: suspend () -> Frame?,
) : Flow<Frame> {
    override suspend fun collect(collector: FlowCollector<Frame>) {
        while (true) {
            collector.emit(next() ?: return)
        }
    }
}

/** Before anything is taken or sent, so that nothing is lost when it throws. */
internal suspend fun AsyncLink.haveTurn() {
    // Also where nothing has to suspend, so that it does not fail at the first call that does.
    Versions.ensure()
    currentCoroutineContext().ensureActive()
    if (isTurnOver()) {
        yield()
    }
}

/** Waits for a change; [begin] is false if the waiter is told of one, and [forget] takes it back. */
internal suspend inline fun awaitChange(
    noinline forget: (LinkWaiter) -> Unit,
    crossinline begin: (LinkWaiter) -> Boolean,
) {
    val wait = ChangeHandover(forget)
    wait.await {
        if (begin(wait)) {
            wait.changed()
        }
    }
}

/** It is handed the news only, which nobody needs who is cancelled. */
internal class ChangeHandover(
    private val takeBack: (LinkWaiter) -> Unit,
) : Handover<Unit>(),
    LinkWaiter {
    override fun changed() {
        offer(Unit)
    }

    override fun refused(why: RuntimeException) {
        fail(why)
    }

    override fun isWaiting(): Boolean = isOpen

    override fun forget() = takeBack(this)
}
