@file:JvmName("Channels")

package dev.carillon.coroutines

import dev.carillon.shm.AsyncChannel
import dev.carillon.shm.AsyncLink
import dev.carillon.shm.CreditResult
import dev.carillon.shm.Frame
import dev.carillon.shm.LinkWaiter
import dev.carillon.shm.SendResult
import kotlinx.coroutines.flow.Flow

// r[impl kt.link] r[impl kt.shm]

/**
 * Waits for the next channel that the peer opens, and accepts it; null when the peer is gone.
 *
 * Cancellable; a cancelled one has accepted none. One coroutine at a time, else as [AsyncLink.receive].
 */
public suspend fun AsyncLink.acceptChannel(): AsyncChannel? {
    while (true) {
        haveTurn()
        val isOver = isOver()
        val channel = tryAcceptChannel()
        if (channel != null || isOver) {
            return channel
        }
        awaitChange({ forget(it) }) { awaitChannel(it) }
    }
}

/**
 * Waits for the next frame of the channel and takes it, as a copy; null when nothing more comes, and all was received.
 *
 * Cancellable; a frame is received or stays. One coroutine at a time for each channel, else as [AsyncLink.receive].
 */
public suspend fun AsyncChannel.receive(): Frame? {
    while (true) {
        link().haveTurn()
        val frame = tryReceive()
        if (frame != null || hasEnded()) {
            return frame
        }
        awaitChange { awaitData(it) }
    }
}

/**
 * Sends a frame as soon as there are credit and room for it: SENT, TOO_LARGE, CHANNEL_CLOSED, CHANNEL_RESET or PEER_GONE.
 *
 * Cancellable; a cancelled one has sent nothing and used no credit. One coroutine at a time for each channel, else as [receive].
 */
public suspend fun AsyncChannel.send(frame: Frame): SendResult {
    while (true) {
        link().haveTurn()
        val result = trySend(frame)
        if (!result.isForNow() && result != SendResult.NO_CREDIT) {
            return result
        }
        awaitChange { awaitRoom(frame.length(), it) }
    }
}

/**
 * Waits until so much can be sent: GRANTED, CLOSED, RESET or PEER_GONE. Uses none of it; see
 * [dev.carillon.shm.ShmChannel.cost]. Cancellable, else as [send].
 */
public suspend fun AsyncChannel.awaitCredit(bytes: Long): CreditResult {
    while (true) {
        link().haveTurn()
        creditNow(bytes)?.let { return it }
        awaitChange { awaitCredit(bytes, it) }
    }
}

/**
 * The frames of the channel, as copies, until nothing more comes.
 *
 * Cold. What is not collected is not granted anew, and when the window is used up the peer's sends wait, on this channel alone:
 * this is the backpressure. Cancellable while it waits; a frame that the collector was not given stays. One collector at a time,
 * else as [AsyncLink.frames].
 */
public fun AsyncChannel.frames(): Flow<Frame> = FrameFlow { receive() }

private suspend inline fun AsyncChannel.awaitChange(crossinline begin: (LinkWaiter) -> Boolean) =
    awaitChange({ forget(it) }, begin)
