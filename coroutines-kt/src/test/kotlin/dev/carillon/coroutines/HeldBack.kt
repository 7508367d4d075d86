package dev.carillon.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Runnable
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.coroutines.CoroutineContext

/** A dispatcher whose turns a test gives. */
class HeldBack : CoroutineDispatcher() {
    private val held = LinkedBlockingQueue<Runnable>()

    override fun dispatch(
        context: CoroutineContext,
        block: Runnable,
    ) {
        held.add(block)
    }

    val isEmpty: Boolean get() = held.isEmpty()

    fun next(): Runnable =
        checkNotNull(held.poll(LoopCase.LIMIT.inWholeSeconds, TimeUnit.SECONDS)) { "nothing was dispatched" }
}
