@file:OptIn(InternalCoroutinesApi::class)

package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.coroutines.local.QueuePlaces
import dev.carillon.coroutines.local.ThreadState
import dev.carillon.coroutines.local.WaiterWatch
import dev.carillon.coroutines.local.cancelBecause
import dev.carillon.coroutines.local.letsGoOn
import dev.carillon.coroutines.local.runLater
import dev.carillon.coroutines.local.whyItRefused
import dev.carillon.loop.EventLoop
import dev.carillon.loop.LoopTask
import dev.carillon.loop.TimerHandle
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.Delay
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resume

// The one file that touches what kotlinx.coroutines keeps for itself and its integrations.

/** A dispatcher with `Delay`. */
internal class TimedLoopDispatcher(
    loop: EventLoop,
    label: String? = null,
    isImmediate: Boolean = false,
) : LoopDispatcher(loop, label, isImmediate),
    OperationHome,
    Delay {
    override val ownLoop: EventLoop get() = loop
    override val byTurn: ContinuationInterceptor = if (isImmediate) TimedLoopDispatcher(loop, label) else this
    override val threadState: ThreadState = ThreadState()
    override val waiterWatch: WaiterWatch = WaiterWatch(loop, threadState, Job::onCancelling)
    override val queuePlaces: QueuePlaces = QueuePlaces(loop)
    override val freeOperations: FreeOperations = FreeOperations()

    override fun named(
        label: String?,
        isImmediate: Boolean,
    ): LoopDispatcher = TimedLoopDispatcher(loop, label, isImmediate)

    override fun scheduleResumeAfterDelay(
        timeMillis: Long,
        continuation: CancellableContinuation<Unit>,
    ) {
        val resumption = Resumption(this, continuation)
        val timer = Timeout(loop, deadline(timeMillis), continuation.context, resumption)
        continuation.invokeOnCancellation { timer.dispose() }
    }

    override fun invokeOnTimeout(
        timeMillis: Long,
        block: Runnable,
        context: CoroutineContext,
    ): DisposableHandle = Timeout(loop, deadline(timeMillis), context, block)

    private fun deadline(timeMillis: Long): Long =
        loop.deadlineAfter(TimeUnit.MILLISECONDS.toNanos(timeMillis.coerceAtLeast(0)))
}

/** The moment at which a delay is over; one that the clock cannot count is never over. */
internal fun EventLoop.deadlineAfter(nanos: Long): Long {
    val now = nanoTime()
    val end = now + nanos
    return if (end < now) Long.MAX_VALUE else end
}

/** A timer of the loop, or of the JDK when the loop takes none or ends. */
private class Timeout(
    private val loop: EventLoop,
    private val deadline: Long,
    private val context: CoroutineContext,
    private val block: Runnable,
) : LoopTask,
    DisposableHandle {
    /** States: open -> over (it has run, or was disposed of). */
    @Volatile
    private var isOver = false

    private val timer: TimerHandle? =
        try {
            loop.scheduleAt(deadline, this)
        } catch (rejected: RejectedExecutionException) {
            goOnElsewhere(loop.whyItRefused(rejected))
            null
        }

    override fun run() {
        if (!isOver) {
            isOver = true
            block.run()
        }
    }

    override fun onLoopEnd() = goOnElsewhere(ClosedException("$loop was closed before a delay was over"))

    private fun goOnElsewhere(reason: RuntimeException) {
        cancelBecause(context, reason)
        runLater(deadline - loop.nanoTime(), this)
    }

    override fun dispose() {
        isOver = true
        timer?.cancel()
    }
}

// r[impl kt.resume]

/** Goes on with a coroutine whose delay is over, by the rule of [dev.carillon.coroutines.local.Turn]. */
@OptIn(ExperimentalCoroutinesApi::class)
private class Resumption(
    private val dispatcher: LoopDispatcher,
    private val continuation: CancellableContinuation<Unit>,
) : Runnable {
    override fun run() {
        if (dispatcher.loop.letsGoOn()) {
            // It prepares the thread itself.
            with(continuation) { dispatcher.resumeUndispatched(Unit) }
        } else {
            continuation.resume(Unit)
        }
    }
}

/** Calls back when the job is being cancelled, at once if it is already; on whatever thread that happens. */
internal fun Job.onCancelling(handler: (Throwable?) -> Unit): DisposableHandle =
    invokeOnCompletion(onCancelling = true, invokeImmediately = true, handler = handler)
