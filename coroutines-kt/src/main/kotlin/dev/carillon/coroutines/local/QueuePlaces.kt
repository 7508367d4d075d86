@file:JvmName("LoopTurns")

package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.yield
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

// r[impl kt.local]

/**
 * Lets everything else that is ready on the loop go first: `yield()` for coroutines that stay on their loop.
 *
 * It takes no atomic operation and leaves no garbage. Cancellable: a coroutine that was cancelled while it waited for its
 * turn throws.
 *
 * **Threading:** coroutines on the dispatcher of a loop.
 *
 * @throws IllegalStateException on another dispatcher
 */
public suspend fun hop() {
    val context = currentCoroutineContext()
    val dispatcher = context.dispatcherOf(null, "hop()")
    dispatcher.loop.ensureHere("hop()")
    val turn = dispatcher.turns.of(context)
    if (turn.isForPreparedThreads) {
        // Its thread has to be prepared on its turn, which yield sees to.
        return yield()
    }
    return suspendCoroutineUninterceptedOrReturn { continuation ->
        turn.take(continuation)
        COROUTINE_SUSPENDED
    }
}

/**
 * Places in the queue of a loop, which are used over and over.
 *
 * The one that is being called knows its coroutine still, which is likely to be the next one that asks for a place: to look
 * through a context takes longer than all the rest of a turn. When its coroutine has not asked again by the end of its turn, the
 * place forgets it: it may be over.
 *
 * **Threading:** the loop's.
 */
internal class Turns(
    private val dispatcher: LoopDispatcher,
) {
    private var latest: Turn? = null
    private var free: Turn? = null

    /** A place for the coroutine with this context. */
    fun of(context: CoroutineContext): Turn {
        val turn = latest
        return if (turn != null && turn.context === context) turn else other(context)
    }

    private fun other(context: CoroutineContext): Turn {
        val turn = free ?: Turn(dispatcher.loop)
        free = turn.next
        turn.next = null
        turn.prepare(context)
        retireLatest()
        latest = turn
        return turn
    }

    private fun retireLatest() {
        val turn = latest ?: return
        latest = null
        turn.forget()
        turn.next = free
        free = turn
    }

    internal inner class Turn(
        private val loop: EventLoop,
    ) : Runnable {
        var next: Turn? = null

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
            val waiting = checkNotNull(continuation) { "this turn has been taken" }
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
