package dev.carillon.coroutines.local

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.Job
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext

/** What the dispatcher of a loop is to those who wait there: their loop, and what they share on its thread. */
internal interface HomeLoop {
    val ownLoop: EventLoop

    /** This dispatcher, or the one beside it, that gives each dispatch a turn in the queue, where the thread is prepared. */
    val byTurn: ContinuationInterceptor

    /** Which coroutines need their thread prepared. */
    val threadState: ThreadState

    /** Tells coroutines that wait for each other of cancellations. */
    val waiterWatch: WaiterWatch

    /** What coroutines wait in that let others go first. */
    val queuePlaces: QueuePlaces
}

/** The home of a coroutine of [loop] (or of any); [what] is for the error. */
internal fun CoroutineContext.homeOn(
    loop: EventLoop?,
    what: String,
): HomeLoop {
    val home = this[ContinuationInterceptor] as? HomeLoop
    if (home == null || (loop != null && home.ownLoop !== loop)) {
        throw IllegalStateException(
            "$what belongs to coroutines on the dispatcher of ${loop ?: "a loop"}, this one is on " +
                "${this[ContinuationInterceptor]}; use withContext(loop.dispatcher)",
        )
    }
    return home
}

/**
 * What a coroutine gets whose wait was refused: one of that loop is cancelled, as it would be a moment later; others, and one that
 * is cancelled already and cleans up, get the refusal.
 */
internal fun CoroutineContext.refusedBy(
    loop: EventLoop,
    rejected: RejectedExecutionException,
): RuntimeException {
    val home = this[ContinuationInterceptor] as? HomeLoop
    if (home == null || home.ownLoop !== loop || !loop.isStopping || this[Job]?.isActive != true) {
        return rejected
    }
    cancelBecause(this, loop.whyItRefused(rejected))
    return cancellation() ?: rejected
}
