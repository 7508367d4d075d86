@file:JvmName("LoopTimes")

package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.loop.EventLoop
import dev.carillon.loop.LoopTask
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration

// r[impl kt.dispatcher]

/**
 * Waits that long on this loop's clock, to the nanosecond, and never less; `delay` rounds up to whole milliseconds.
 *
 * Cancellable; nothing can be lost. Zero and less come back at once.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @throws ClosedException if the loop ends first; a coroutine of this loop is cancelled then
 * @throws RejectedExecutionException if it is stopping already
 */
public suspend fun EventLoop.sleep(duration: Duration) {
    currentCoroutineContext().ensureActive()
    if (duration <= Duration.ZERO) {
        return
    }
    val now = nanoTime()
    val end = now + duration.inWholeNanoseconds
    try {
        suspendCancellableCoroutine<Unit> { continuation ->
            val timer = scheduleAt(if (end < now) Long.MAX_VALUE else end, Sleeper(this, continuation))
            continuation.invokeOnCancellation { timer.cancel() }
        }
    } catch (closed: ClosedException) {
        // A coroutine of this very loop is cancelled by then.
        currentCoroutineContext().ensureActive()
        throw closed
    }
}

private class Sleeper(
    private val loop: EventLoop,
    private val continuation: CancellableContinuation<Unit>,
) : LoopTask {
    override fun run() =
        Resumption(
            (continuation.context[ContinuationInterceptor] as? LoopDispatcher)?.takeIf {
                it.loop === loop
            },
            continuation,
        ).run()

    override fun onLoopEnd() {
        continuation.resumeWithException(ClosedException("$loop was closed before a sleep was over"))
    }
}
