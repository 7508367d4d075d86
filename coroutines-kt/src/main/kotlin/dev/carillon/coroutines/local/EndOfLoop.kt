package dev.carillon.coroutines.local

import dev.carillon.ClosedException
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.cancel
import kotlinx.coroutines.ensureActive
import java.util.concurrent.CompletableFuture
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import kotlin.coroutines.CoroutineContext

// r[impl kt.end]

/** Gives it to the loop for a coroutine; false if the loop takes nothing any more, and the coroutine goes on elsewhere. */
internal fun EventLoop.executeOrElsewhere(
    context: CoroutineContext,
    block: Runnable,
): Boolean =
    try {
        execute(block)
        true
    } catch (rejected: RejectedExecutionException) {
        continueElsewhere(this, context, block, rejected)
        false
    }

/** What becomes of coroutines whose loop takes nothing any more: they are cancelled, and clean up on Dispatchers.IO. */
internal fun continueElsewhere(
    loop: EventLoop,
    context: CoroutineContext,
    block: Runnable,
    rejected: RejectedExecutionException,
) {
    cancelBecause(context, loop.whyItRefused(rejected))
    Dispatchers.IO.dispatch(context, block)
}

/**
 * That the loop has ended, so that those who look at the cause of a cancellation see the same in every frame: a job keeps the
 * cause that came first, and that is often the refusal of a dispatch. A loop that is only full has not ended.
 */
internal fun EventLoop.whyItRefused(rejected: RejectedExecutionException): RuntimeException {
    if (!isStopping) {
        return rejected
    }
    val closed =
        ClosedException("$this ${if (isTerminated) "has ended" else "is ending"}, and a coroutine was to go on there")
    closed.initCause(rejected)
    return closed
}

internal fun cancelBecause(
    context: CoroutineContext,
    reason: RuntimeException,
) {
    context.cancel(EndOfLoop(reason))
}

/** The loop of a coroutine has ended, which cancels it; the cause tells what it was that ended. */
internal class EndOfLoop(
    reason: Throwable,
) : CancellationException("the loop of this coroutine takes nothing any more: ${reason.message}") {
    init {
        initCause(reason)
    }
}

/** Why a coroutine must not go on, or null; where that is the end of its loop alone, because of what ended its wait. */
internal fun CoroutineContext.cancellation(failure: Throwable? = null): CancellationException? =
    this[Job]?.cancellation(failure)

/** The same, of the coroutines of this job. */
internal fun Job.cancellation(failure: Throwable? = null): CancellationException? {
    if (isActive) {
        return null
    }
    return try {
        ensureActive()
        null
    } catch (cancellation: CancellationException) {
        if (cancellation is EndOfLoop && failure is ClosedException) EndOfLoop(failure) else cancellation
    }
}

/**
 * Does it when a loop that is about to end takes nothing any more, so that a wait for one of its services ends as all others do.
 * A loop that goes on does it with its next turn. On the loop's thread.
 */
internal fun EventLoop.afterServices(action: () -> Unit) {
    try {
        execute(action)
    } catch (ending: RejectedExecutionException) {
        action()
    }
}

/** For coroutines that cannot be cancelled (NonCancellable): their delay goes on, on a clock that every JVM has. */
internal fun runLater(
    nanos: Long,
    block: Runnable,
) {
    CompletableFuture.delayedExecutor(nanos.coerceAtLeast(0), TimeUnit.NANOSECONDS).execute(block)
}
