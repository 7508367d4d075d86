package dev.carillon.coroutines

import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException

/**
 * Sees to it that waiters learn when they are cancelled, at little cost for those that wait for a moment only.
 *
 * To be told by a job takes two atomic operations and an object. A waiter that is called within two rounds of the loop does
 * without: it looks for a cancellation on its turn anyway.
 *
 * **Threading:** the loop's.
 */
internal class Cancellations(
    private val dispatcher: LoopDispatcher,
) : Runnable {
    private var young = ArrayList<LoopWaiter<*, *>>()
    private var old = ArrayList<LoopWaiter<*, *>>()
    private var isPosted = false

    fun watch(waiter: LoopWaiter<*, *>) {
        young.add(waiter)
        if (!isPosted) {
            post()
        }
    }

    private fun post() {
        try {
            dispatcher.loop.execute(this)
            isPosted = true
        } catch (ending: RejectedExecutionException) {
            registerOld()
            swap()
            registerOld()
        }
    }

    override fun run() {
        isPosted = false
        registerOld()
        swap()
        if (old.isNotEmpty()) {
            post()
        }
    }

    private fun registerOld() {
        for (index in old.indices) {
            old[index].register()
        }
        old.clear()
    }

    private fun swap() {
        old = young.also { young = old }
    }
}
