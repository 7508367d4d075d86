package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException

/**
 * Sees to it that waiters learn when they are cancelled, at little cost for those that wait for a moment only.
 *
 * To be told by a job takes two atomic operations and an object. A waiter that is called within some [TURNS] does without: it
 * looks for a cancellation on its turn anyway. A task that goes behind all others again and again counts these turns, and then
 * has those told that were there before the last time. It is gone as soon as nobody young waits, so the loop can park. No timer
 * does this: one that is always due would be looked for between any two generations of tasks.
 *
 * **Threading:** the loop's.
 */
internal class Cancellations(
    private val loop: EventLoop,
    private val threadState: ThreadState,
) : Runnable {
    private val watched = ArrayList<WaiterQueue<*>>()
    private var turns = 0

    /** How often it came. */
    var visits: Int = 0
        private set

    /** From now on, until all its waiters are told by their jobs. */
    fun watch(queue: WaiterQueue<*>) {
        watched.add(queue)
        if (watched.size == 1) {
            threadState.keep()
            comeAgain()
        }
    }

    override fun run() {
        if (++turns < TURNS) {
            comeAgain()
            return
        }
        turns = 0
        // No removeIf: that leaves garbage.
        for (index in watched.indices.reversed()) {
            if (!watched[index].hasYoungAfter(visits)) {
                watched.removeAt(index)
            }
        }
        visits++
        if (watched.isEmpty()) threadState.forget() else comeAgain()
    }

    private fun comeAgain() {
        try {
            loop.execute(this)
        } catch (ending: RejectedExecutionException) {
            onLoopEnd()
        }
    }

    private fun onLoopEnd() {
        visits++
        watched.forEach { it.hasYoungAfter(visits) }
        watched.clear()
        threadState.forget()
    }

    private companion object {
        /** Some microseconds: nobody notices that of a cancellation. */
        const val TURNS = 128
    }
}
