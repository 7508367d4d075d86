@file:JvmName("LoopContexts")

package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.currentCoroutineContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext

// r[impl kt.context]

/**
 * Carries a loop in a coroutine context, for coroutines that run elsewhere: `withContext(LoopElement(loop)) { ... }`.
 *
 * **Ownership:** the element does not close the loop.
 */
public class LoopElement(
    /** The loop that is carried. */
    @get:JvmName("loop") public val loop: EventLoop,
) : AbstractCoroutineContextElement(LoopElement) {
    /** Finds the element in a context. */
    public companion object Key : CoroutineContext.Key<LoopElement>

    override fun toString(): String = "LoopElement[${loop.name()}]"
}

/** The loop of this context: that of its [LoopElement], else that of its dispatcher, else null. */
@get:JvmName("loopOf")
public val CoroutineContext.eventLoop: EventLoop?
    get() = this[LoopElement]?.loop ?: (this[ContinuationInterceptor] as? LoopDispatcher)?.loop

/** The loop of the calling coroutine's context, or the one that the whole process shares. Never suspends. */
public suspend fun currentLoop(): EventLoop = currentCoroutineContext().eventLoop ?: EventLoop.shared()
