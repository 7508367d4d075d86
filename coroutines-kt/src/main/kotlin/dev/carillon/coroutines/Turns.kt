@file:JvmName("LoopTurns")

package dev.carillon.coroutines

import kotlinx.coroutines.Runnable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.yield
import kotlin.coroutines.Continuation
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
    if (dispatcher.threadState.isCarriedBy(context)) {
        // Its thread has to be prepared on its turn, which yield sees to.
        return yield()
    }
    return suspendCoroutineUninterceptedOrReturn { continuation ->
        dispatcher.turns.take(continuation)
        COROUTINE_SUSPENDED
    }
}

/** Places in the queue of a loop, which are used over and over. On the loop thread. */
internal class Turns(
    private val dispatcher: LoopDispatcher,
) {
    private var free: Turn? = null

    fun take(continuation: Continuation<Unit>) {
        val turn = free ?: Turn()
        free = turn.next
        turn.next = null
        turn.continuation = continuation
        dispatcher.dispatch(continuation.context, turn)
    }

    private inner class Turn : Runnable {
        var next: Turn? = null
        var continuation: Continuation<Unit>? = null

        override fun run() {
            val waiting = checkNotNull(continuation) { "this turn has been taken" }
            continuation = null
            // Elsewhere when the loop has ended, where several threads may come here at once.
            if (dispatcher.loop.inLoop()) {
                next = free
                free = this
            }
            val cancellation = waiting.context.cancellation()
            if (cancellation ==
                null
            ) {
                waiting.resume(Unit)
            } else {
                waiting.resumeWithException(cancellation)
            }
        }
    }
}
