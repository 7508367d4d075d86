package dev.carillon.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.cancel
import java.util.concurrent.CompletableFuture
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import kotlin.coroutines.CoroutineContext

/** What becomes of coroutines whose loop takes nothing any more: they are cancelled, and clean up on Dispatchers.IO. */
internal fun continueElsewhere(
    context: CoroutineContext,
    block: Runnable,
    rejected: RejectedExecutionException,
) {
    cancelBecause(context, rejected)
    Dispatchers.IO.dispatch(context, block)
}

internal fun cancelBecause(
    context: CoroutineContext,
    rejected: RejectedExecutionException,
) {
    context.cancel(
        CancellationException("the loop of this coroutine takes nothing any more: ${rejected.message}", rejected),
    )
}

/** For those that nobody can cancel (NonCancellable): their delay goes on, on a clock that every JVM has. */
internal fun runLater(
    nanos: Long,
    block: Runnable,
) {
    CompletableFuture.delayedExecutor(nanos.coerceAtLeast(0), TimeUnit.NANOSECONDS).execute(block)
}
