package dev.carillon.coroutines.local

import dev.carillon.ClosedException
import dev.carillon.loop.EventLoop
import dev.carillon.loop.LoopService
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException

/** The waiters of one queue. */
internal interface Watched {
    /** Has the waiters that came before that visit register with their jobs; returns whether others are left. */
    fun hasYoungAfter(visits: Int): Boolean

    /** The loop has ended. */
    fun end(cause: ClosedException)
}

/**
 * Tells waiters of their cancellation and of the end of their loop, at little cost for those that wait for a moment only.
 *
 * To register with a job takes two atomic operations and an object. A waiter that is called within some [TURNS] does without: it
 * looks for a cancellation on its turn anyway. After so many turns of the loop the waiters that were there at the visit before
 * register with their jobs. Then their queue rests, and a service of the loop tells them of its end.
 *
 * The turns are counted by what is in the loop's queue as well: by the waiters that were called, and have their turns one after
 * the other. Where there are none, a task goes behind all others again and again. It is gone as soon as no young waiter is left,
 * so the loop can park. No timer does this: the loop would look for one that is always due between any two generations of tasks.
 *
 * **Threading:** the loop's.
 */
internal class WaiterWatch(
    val loop: EventLoop,
    val threadState: ThreadState,
    private val onCancelling: Job.((Throwable?) -> Unit) -> DisposableHandle,
) : Runnable,
    LoopService {
    private val watched = ArrayList<Watched>()
    private val resting = LinkedHashSet<Watched>()
    private var turns = 0

    /** Waiters that were called, and have not had their turns. */
    private var called = 0

    /** How many of them end this turn of the loop. */
    private var left = 0

    /** Whether those who were called count, and not the task. */
    private var isCountedByCalls = false

    private var isVisiting = false

    /** One way: the loop takes nothing any more. */
    private var isOver = false

    /** How often so many turns were over. */
    var visits: Int = 0
        private set

    /** From now on, until all its waiters are registered with their jobs. */
    fun watch(queue: Watched) {
        watched.add(queue)
        if (watched.size == 1) {
            threadState.keep()
            countOn()
        }
    }

    /** Has the job call when it is being cancelled, at once if it is already; on whatever thread that happens. */
    fun register(
        job: Job,
        waiter: (Throwable?) -> Unit,
    ): DisposableHandle = job.onCancelling(waiter)

    /** A waiter was called, and is in the loop's queue. */
    fun called() {
        called++
    }

    /** It has had its turn, in which it may have called others. */
    fun hadItsTurn() {
        called--
        if (isCountedByCalls && --left <= 0) {
            turn()
        }
    }

    override fun run() = turn()

    private fun turn() {
        isCountedByCalls = false
        try {
            if (++turns >= TURNS) {
                turns = 0
                visit()
            }
        } finally {
            if (watched.isEmpty()) threadState.forget() else countOn()
        }
    }

    private fun visit() {
        isVisiting = true
        try {
            // No removeIf: that leaves garbage.
            for (index in watched.indices.reversed()) {
                if (!watched[index].hasYoungAfter(visits)) {
                    watched.removeAt(index)
                }
            }
        } finally {
            visits++
            isVisiting = false
        }
        if (isOver) {
            end()
        }
    }

    private fun countOn() {
        left = called
        isCountedByCalls = left > 0
        if (isCountedByCalls) {
            return
        }
        try {
            loop.execute(this)
        } catch (ending: RejectedExecutionException) {
            end()
        }
    }

    /** Its waiters have waited for long. */
    fun rest(queue: Watched) {
        if (resting.add(queue) && resting.size == 1) {
            try {
                loop.register(this)
            } catch (ending: RejectedExecutionException) {
                end()
            }
        }
    }

    /** It has no waiters any more. */
    fun leave(queue: Watched) {
        if (resting.remove(queue) && resting.isEmpty()) {
            loop.unregister(this)
        }
    }

    override fun onLoopEnd() = loop.afterServices(::end)

    /** The loop takes nothing any more, so no waiter will be called. */
    fun end() {
        isOver = true
        if (isVisiting || (watched.isEmpty() && resting.isEmpty())) {
            return
        }
        val queues = watched + resting
        watched.clear()
        resting.clear()
        threadState.forget()
        val cause = ClosedException("$loop was closed while coroutines waited for each other")
        queues.forEach { it.end(cause) }
    }

    private companion object {
        /** Some microseconds, by which a cancellation comes later. */
        const val TURNS = 128
    }
}
