package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import dev.carillon.loop.LoopTask
import dev.carillon.loop.TimerHandle
import java.util.concurrent.RejectedExecutionException

/**
 * Sees to it that waiters learn when they are cancelled, at little cost for those that wait for a moment only.
 *
 * To be told by a job takes two atomic operations and an object. A waiter that is called within two iterations of the loop
 * does without: it looks for a cancellation on its turn anyway. A timer that is always due comes once in an iteration, and
 * has those told that were there before it came the last time.
 *
 * **Threading:** the loop's.
 */
internal class Cancellations(
    private val loop: EventLoop,
    private val threadState: ThreadState,
) : LoopTask {
    private val watched = ArrayList<WaiterQueue<*>>()
    private var timer: TimerHandle? = null

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
        val now = loop.nanoTime()
        try {
            timer?.rescheduleAt(now) ?: run { timer = loop.scheduleAt(now, this) }
        } catch (ending: RejectedExecutionException) {
            onLoopEnd()
        }
    }

    override fun onLoopEnd() {
        visits++
        watched.forEach { it.hasYoungAfter(visits) }
        watched.clear()
        threadState.forget()
    }
}
