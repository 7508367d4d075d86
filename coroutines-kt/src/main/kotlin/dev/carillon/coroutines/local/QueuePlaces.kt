package dev.carillon.coroutines.local

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/**
 * Places in the queue of a loop, which are used over and over.
 *
 * The one that is being called knows its coroutine still, which is likely to be the next one that asks for a place: to look
 * through a context takes longer than all the rest of a turn. When its coroutine has not asked again by the end of its turn, the
 * place forgets it: it may be over.
 *
 * **Threading:** the loop's.
 */
internal class QueuePlaces(
    private val loop: EventLoop,
) {
    private var latest: Place? = null
    private var free: Place? = null

    /** A place for the coroutine with this context. */
    fun of(context: CoroutineContext): Place {
        val place = latest
        return if (place != null && place.context === context) place else other(context)
    }

    private fun other(context: CoroutineContext): Place {
        val place = free ?: Place()
        free = place.next
        place.next = null
        place.prepare(context)
        retireLatest()
        latest = place
        return place
    }

    private fun retireLatest() {
        val place = latest ?: return
        latest = null
        place.forget()
        place.next = free
        free = place
    }

    internal inner class Place : Runnable {
        var next: Place? = null

        /** Whose it is, or was last; null if that does not matter any more. */
        var context: CoroutineContext? = null
            private set
        var isForPreparedThreads = false
            private set
        private var job: Job? = null
        private var continuation: Continuation<Unit>? = null

        fun prepare(context: CoroutineContext) {
            this.context = context
            job = context[Job]
            isForPreparedThreads = context.carriesThreadState()
        }

        fun forget() {
            context = null
            job = null
        }

        fun take(continuation: Continuation<Unit>) {
            latest = null
            this.continuation = continuation
            try {
                loop.execute(this)
            } catch (rejected: RejectedExecutionException) {
                continueElsewhere(loop, continuation.context, { goOn(continuation) }, rejected)
            }
        }

        override fun run() {
            val waiting = checkNotNull(continuation) { "this place has been taken" }
            continuation = null
            retireLatest()
            latest = this
            goOn(waiting)
            if (latest === this) {
                retireLatest()
            }
        }

        private fun goOn(waiting: Continuation<Unit>) {
            val cancellation = job?.cancellation()
            if (cancellation == null) waiting.resume(Unit) else waiting.resumeWithException(cancellation)
        }
    }
}
