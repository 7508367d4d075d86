@file:JvmName("LoopDispatchers")

package dev.carillon.coroutines

import dev.carillon.coroutines.local.executeOrElsewhere
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Runnable
import kotlin.coroutines.CoroutineContext

// r[impl kt.dispatcher] r[impl kt.contract]

/**
 * Runs coroutines on the thread of an [EventLoop], whose timers serve `delay` and `withTimeout`: no further thread, never
 * early.
 *
 * A coroutine that is dispatched to a loop that takes nothing any more is cancelled, and goes on on `Dispatchers.IO`, where
 * it can clean up. So is one whose loop ends while it waits for something of it: in a `delay`, for an operation, a signal, in a
 * [LoopChannel]. The cause of the CancellationException says what was closed.
 *
 * **Threading:** any thread.
 *
 * **Order:** what one thread dispatches runs in that order, together with the tasks of the loop.
 */
public sealed class LoopDispatcher(
    /** The loop whose thread it uses. */
    @get:JvmName("loop") public val loop: EventLoop,
    private val label: String?,
    private val isImmediate: Boolean,
) : CoroutineDispatcher() {
    init {
        Versions.ensure()
    }

    /** The same, but that what is started on the loop thread runs at once, without a turn in the queue. */
    @get:JvmName("immediate")
    public val immediate: LoopDispatcher by lazy(LazyThreadSafetyMode.PUBLICATION) {
        if (isImmediate) this else named(label, isImmediate = true)
    }

    /** A loop that is ending runs nothing at once, so that its coroutines are cancelled as on the plain dispatcher. */
    override fun isDispatchNeeded(context: CoroutineContext): Boolean =
        !isImmediate || EventLoop.currentOrNull() !== loop || loop.isStopping

    override fun dispatch(
        context: CoroutineContext,
        block: Runnable,
    ) {
        loop.executeOrElsewhere(context, block)
    }

    /** A loop has one thread, so this one is limited enough; a name shows in debug strings. */
    override fun limitedParallelism(
        parallelism: Int,
        name: String?,
    ): LoopDispatcher {
        require(parallelism >= 1) { "parallelism=$parallelism: at least 1" }
        return if (name == null) this else named(name, isImmediate)
    }

    internal abstract fun named(
        label: String?,
        isImmediate: Boolean,
    ): LoopDispatcher

    /** Two of one loop are equal if they do and are called the same. */
    override fun equals(other: Any?): Boolean =
        other is LoopDispatcher &&
            other.loop === loop &&
            other.isImmediate == isImmediate &&
            other.label == label

    override fun hashCode(): Int = loop.hashCode()

    override fun toString(): String =
        (label ?: "LoopDispatcher[${loop.name()}]") + if (isImmediate) ".immediate" else ""
}

/** Runs coroutines on this loop. Any thread; two of one loop are equal. */
@get:JvmName("of")
public val EventLoop.dispatcher: LoopDispatcher
    get() = TimedLoopDispatcher(this)
