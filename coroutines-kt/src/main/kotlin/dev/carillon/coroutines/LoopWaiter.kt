package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import java.time.Duration
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.resumeWithException

/**
 * A coroutine that waits in a [WaiterQueue] of its loop.
 *
 * States: waiting (in [queue]) -> called (it has a place in the loop's queue) -> resumed. Only the loop thread moves it; a
 * cancellation from elsewhere is sent there first.
 *
 * @param onRefused gives back what the waiter was called with, if it turns out on its turn that the coroutine is cancelled;
 *   null if being called is final
 * @param luggage what a sender brings
 */
internal class LoopWaiter<T, L>(
    private val dispatcher: LoopDispatcher,
    private val continuation: Continuation<T>,
    private val onRefused: ((T) -> Unit)?,
    val luggage: L,
) : Runnable,
    (Throwable?) -> Unit {
    var queue: WaiterQueue<T, L>? = null
    var next: LoopWaiter<T, L>? = null
    var previous: LoopWaiter<T, L>? = null
    private var registration: DisposableHandle? = null
    private var result: Result<T>? = null

    /** Begins to wait. */
    fun waitIn(queue: WaiterQueue<T, L>) {
        queue.add(this)
        registration = continuation.context[Job]?.onCancelling(this)
    }

    /** It was taken out of its queue and gets a turn. */
    fun call(outcome: Result<T>) {
        result = outcome
        dispatcher.dispatch(continuation.context, this)
    }

    override fun run() {
        registration?.dispose()
        val outcome = checkNotNull(result) { "a waiter without a result" }
        val cancellation = if (onRefused == null) null else continuation.context.cancellation()
        when {
            cancellation == null -> {
                onItsThread().resumeWith(outcome)
            }

            else -> {
                // Elsewhere the loop has ended, and nobody receives on it any more.
                if (dispatcher.loop.inLoop()) outcome.onSuccess { onRefused?.invoke(it) }
                onItsThread().resumeWithException(cancellation)
            }
        }
    }

    /** The coroutine, by way of its dispatcher (one more turn) if the thread has to be prepared for it. */
    private fun onItsThread(): Continuation<T> =
        if (continuation.context.carriesThreadState()) continuation.intercepted() else continuation

    /** The job is being cancelled; on any thread. */
    override fun invoke(cause: Throwable?) {
        val loop = dispatcher.loop
        if (loop.inLoop()) {
            leave()
            return
        }
        try {
            loop.execute(::leave)
        } catch (stopping: RejectedExecutionException) {
            leaveAtTheEnd(loop)
        }
    }

    private fun leaveAtTheEnd(loop: EventLoop) {
        try {
            loop.register(::leave)
        } catch (ending: RejectedExecutionException) {
            Dispatchers.IO.dispatch(EmptyCoroutineContext) {
                loop.awaitTermination(ENDS_WITHIN)
                leave()
            }
        }
    }

    private fun leave() {
        val where = queue ?: return
        where.remove(this)
        call(Result.failure(continuation.context.cancellation() ?: CancellationException("the wait was cancelled")))
    }

    private companion object {
        private val ENDS_WITHIN: Duration = Duration.ofSeconds(30)
    }
}

/** Waiters in the order in which they came. On the loop thread. */
internal class WaiterQueue<T, L> {
    private var first: LoopWaiter<T, L>? = null
    private var last: LoopWaiter<T, L>? = null

    val isEmpty: Boolean get() = first == null

    fun add(waiter: LoopWaiter<T, L>) {
        waiter.queue = this
        waiter.previous = last
        last?.next = waiter
        if (first == null) {
            first = waiter
        }
        last = waiter
    }

    fun poll(): LoopWaiter<T, L>? = first?.also(::remove)

    fun remove(waiter: LoopWaiter<T, L>) {
        val before = waiter.previous
        val after = waiter.next
        if (before == null) first = after else before.next = after
        if (after == null) last = before else after.previous = before
        waiter.previous = null
        waiter.next = null
        waiter.queue = null
    }
}
