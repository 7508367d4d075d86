@file:JvmName("LoopTimes")

package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.coroutines.local.refusedBy
import dev.carillon.loop.EventLoop
import dev.carillon.loop.LoopTask
import dev.carillon.loop.TimerHandle
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import java.util.concurrent.RejectedExecutionException
import kotlin.time.Duration

// r[impl kt.dispatcher]

/**
 * Waits that long on this loop's clock, to the nanosecond, and never less; `delay` rounds up to whole milliseconds.
 *
 * Cancellable; nothing can be lost. Zero and less come back at once.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @throws ClosedException if the loop ends first; a coroutine of this loop is cancelled instead, with that as the cause
 * @throws RejectedExecutionException if it is stopping already
 */
public suspend fun EventLoop.sleep(duration: Duration) {
    if (duration <= Duration.ZERO) {
        currentCoroutineContext().ensureActive()
        return
    }
    return sleepUntil(deadlineAfter(duration.inWholeNanoseconds))
}

/** Waits until a time on this loop's clock, and for a turn of the loop if that is past. Cancellable; nothing can be lost. */
internal suspend fun EventLoop.sleepUntil(deadline: Long) {
    val sleeper = Sleeper(this)
    return sleeper.await { sleeper.startUntil(deadline) }
}

private class Sleeper(
    private val loop: EventLoop,
) : Handover<Unit>(),
    LoopTask {
    private var timer: TimerHandle? = null

    fun startUntil(deadline: Long) {
        timer =
            try {
                loop.scheduleAt(deadline, this)
            } catch (rejected: RejectedExecutionException) {
                throw context.refusedBy(loop, rejected)
            }
    }

    override fun run() {
        offer(Unit)
    }

    override fun onLoopEnd() {
        fail(ClosedException("$loop was closed before a sleep was over"))
    }

    override fun forget() {
        timer?.cancel()
    }
}
