package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.Continuation
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/**
 * The place of a coroutine that waits in a [WaiterQueue] of its loop.
 *
 * States: free -> waiting -> called (it has a place in the loop's queue) -> free. Only the loop thread moves it; a
 * cancellation from elsewhere is sent there first. One that a job was given to tell of a cancellation is not used again: the
 * job may call it late, and would hit the next coroutine.
 *
 * It keeps the rule of [Handover] without its atomic step: who was called gets a turn, and what came is given back there.
 */
internal class LoopWaiter<T : Any>(
    private val queue: WaiterQueue<T>,
) : Runnable,
    (Throwable?) -> Unit {
    var next: LoopWaiter<T>? = null
    var previous: LoopWaiter<T>? = null

    /** What it brings, or gets. */
    var item: T? = null

    /** The visits of [Cancellations] before it began to wait. */
    var since: Int = 0
    var isWaiting: Boolean = false
    private var dispatcher: LoopDispatcher? = null
    private var continuation: Continuation<Any>? = null
    private var failure: Throwable? = null
    private var registration: DisposableHandle? = null

    val isRegistered: Boolean get() = registration != null

    fun take(
        dispatcher: LoopDispatcher,
        continuation: Continuation<*>,
        item: T?,
    ) {
        this.dispatcher = dispatcher
        @Suppress("UNCHECKED_CAST")
        this.continuation = continuation as Continuation<Any>
        this.item = item
    }

    /** It has waited for some time: from now on its job tells when it is cancelled. */
    fun register() {
        registration = waiting().context[Job]?.onCancelling(this)
    }

    /** It was taken out of its queue and gets this, on its turn. */
    fun callWith(item: T) {
        this.item = item
        call()
    }

    /** It was taken out of its queue and gets a turn. */
    fun call() {
        val dispatcher = here()
        try {
            dispatcher.loop.execute(this)
        } catch (rejected: RejectedExecutionException) {
            continueElsewhere(dispatcher.loop, waiting().context, this, rejected)
            dispatcher.cancellations.end()
            return
        }
        dispatcher.cancellations.called()
    }

    /** It was taken out of its queue and gets a turn, to throw. */
    fun fail(cause: Throwable) {
        failure = cause
        call()
    }

    override fun run() {
        val dispatcher = here()
        if (!dispatcher.loop.inLoop()) {
            // The loop has ended, and nobody receives on it any more.
            goOn(dispatcher, onTheLoop = false)
            return
        }
        try {
            goOn(dispatcher, onTheLoop = true)
        } finally {
            dispatcher.cancellations.hadItsTurn()
        }
    }

    private fun goOn(
        dispatcher: LoopDispatcher,
        onTheLoop: Boolean,
    ) {
        val waiting = waiting()
        val item = item
        val failure = failure
        val isFinal = queue.isFinal && failure == null
        val thrown = (if (isFinal) null else waiting.context.cancellation(failure)) ?: failure
        val registration = registration
        if (registration != null) {
            registration.dispose()
        } else if (onTheLoop) {
            free()
        }
        val prepared = dispatcher.prepared(waiting)
        if (thrown == null) {
            prepared.resume(queue.outcome(item))
            return
        }
        if (onTheLoop && item != null) {
            queue.refused(item)
        }
        prepared.resumeWithException(thrown)
    }

    private fun free() {
        continuation = null
        item = null
        if (failure != null) {
            failure = null
        }
        queue.keep(this)
    }

    private fun waiting() = checkNotNull(continuation) { "nobody waits here" }

    private fun here() = checkNotNull(dispatcher) { "nobody waits here" }

    /** The job is being cancelled; on any thread. */
    override fun invoke(cause: Throwable?) {
        val loop = here().loop
        if (loop.inLoop()) {
            leave()
            return
        }
        try {
            loop.execute(::leave)
        } catch (stopping: RejectedExecutionException) {
            // The end of the loop ends the wait.
            return
        }
    }

    private fun leave() {
        if (isWaiting) {
            queue.remove(this)
            fail(waiting().context.cancellation() ?: CancellationException("the wait was cancelled"))
        }
    }
}
