package dev.carillon.coroutines.local

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
 * It keeps the rule of a hand-over without an atomic step: a waiter that was called gets a turn, which gives back what came.
 */
internal class LoopWaiter<T : Any>(
    private val queue: WaiterQueue<T>,
) : Turn(),
    Runnable,
    (Throwable?) -> Unit {
    var next: LoopWaiter<T>? = null
    var previous: LoopWaiter<T>? = null

    /** What it brings, or gets. */
    var item: T? = null

    /** The visits of [WaiterWatch] before it began to wait. */
    var since: Int = 0
    var isWaiting: Boolean = false
    private var watch: WaiterWatch? = null
    private var failure: Throwable? = null
    private var registration: DisposableHandle? = null

    val isRegistered: Boolean get() = registration != null

    fun begin(
        watch: WaiterWatch,
        continuation: Continuation<*>,
        item: T?,
    ) {
        prepare(continuation)
        this.watch = watch
        this.item = item
    }

    /** It has waited for some time: from now on its job tells when it is cancelled. */
    fun register() {
        registration = context[Job]?.let { watch().register(it, this) }
    }

    /** It was taken out of its queue and gets this, on its turn. */
    fun callWith(item: T) {
        this.item = item
        call()
    }

    /** It was taken out of its queue and gets a turn. */
    fun call() {
        val watch = watch()
        if (watch.loop.executeOrElsewhere(context, this)) watch.called() else watch.end()
    }

    /** It was taken out of its queue and gets a turn, to throw. */
    fun fail(cause: Throwable) {
        failure = cause
        call()
    }

    /** Its place in the loop's queue; elsewhere, if the loop has ended. */
    override fun run() {
        val watch = watch()
        if (!watch.loop.inLoop()) {
            dispatch()
            return
        }
        try {
            goOnFromQueue(watch.threadState)
        } finally {
            watch.hadItsTurn()
        }
    }

    override fun take(inPlace: Boolean) {
        val waiting = waiting()
        val item = item
        val failure = failure
        val isFinal = queue.isFinal && failure == null
        val thrown = (if (isFinal) null else waiting.context.cancellation(failure)) ?: failure
        // Elsewhere no coroutine receives any more: the loop has ended.
        val isReceivedByOthers = thrown != null && watch().loop.inLoop()
        val registration = registration
        if (registration != null) {
            registration.dispose()
        } else if (inPlace) {
            free()
        }
        if (thrown == null) {
            waiting.resume(queue.outcome(item))
            return
        }
        if (isReceivedByOthers && item != null) {
            queue.refused(item)
        }
        waiting.resumeWithException(thrown)
    }

    private fun free() {
        release()
        item = null
        if (failure != null) {
            failure = null
        }
        queue.keep(this)
    }

    private fun watch() = checkNotNull(watch) { "no coroutine waits here" }

    /** The job is being cancelled; on any thread. */
    override fun invoke(cause: Throwable?) {
        val loop = watch().loop
        if (loop.inLoop()) {
            leave()
            return
        }
        try {
            // Not as a task: a loop with a bound refuses those while its queue is full, and takes timers always.
            loop.scheduleAt(loop.nanoTime(), ::leave)
        } catch (stopping: RejectedExecutionException) {
            // The end of the loop ends the wait.
            return
        }
    }

    private fun leave() {
        if (isWaiting) {
            queue.remove(this)
            fail(context.cancellation() ?: CancellationException("the wait was cancelled"))
        }
    }
}
