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
import kotlin.coroutines.resume
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
internal class LoopWaiter<T : Any, L>(
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
    private var value: T? = null
    private var failure: Throwable? = null

    /** Begins to wait. */
    fun waitIn(queue: WaiterQueue<T, L>) {
        queue.add(this)
        dispatcher.cancellations.watch(this)
    }

    /** It has waited for some time: from now on its job tells when it is cancelled. */
    fun register() {
        if (queue != null) {
            registration = continuation.context[Job]?.onCancelling(this)
        }
    }

    /** It was taken out of its queue and gets a turn. */
    fun call(outcome: T) {
        value = outcome
        dispatcher.dispatch(continuation.context, this)
    }

    /** It was taken out of its queue and gets a turn, to throw. */
    fun fail(cause: Throwable) {
        failure = cause
        dispatcher.dispatch(continuation.context, this)
    }

    override fun run() {
        registration?.dispose()
        val came = value
        val thrown = (if (onRefused == null) null else continuation.context.cancellation()) ?: failure
        if (thrown == null) {
            onItsThread().resume(checkNotNull(came) { "a waiter was called with nothing" })
            return
        }
        // Elsewhere the loop has ended, and nobody receives on it any more.
        if (came != null && dispatcher.loop.inLoop()) {
            onRefused?.invoke(came)
        }
        onItsThread().resumeWithException(thrown)
    }

    /** The coroutine, by way of its dispatcher (one more turn) if its thread has to be prepared, or is another one. */
    private fun onItsThread(): Continuation<T> =
        if (dispatcher.loop.inLoop() && !dispatcher.threadState.isCarriedBy(continuation.context)) {
            continuation
        } else {
            continuation.intercepted()
        }

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
        fail(continuation.context.cancellation() ?: CancellationException("the wait was cancelled"))
    }

    private companion object {
        private val ENDS_WITHIN: Duration = Duration.ofSeconds(30)
    }
}

/** Waiters in the order in which they came. On the loop thread. */
internal class WaiterQueue<T : Any, L> {
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
