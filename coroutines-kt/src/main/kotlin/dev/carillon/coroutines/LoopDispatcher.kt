@file:JvmName("LoopDispatchers")

package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Runnable
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.intrinsics.intercepted

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

    /** What coroutines of this loop that let others go first wait in; for its thread. */
    internal val turns: Turns = Turns(this)

    /** Which coroutines need their thread prepared; for the loop's thread. */
    internal val threadState: ThreadState = ThreadState()

    /** What tells waiters of a cancellation; for the loop's thread. */
    internal val cancellations: Cancellations = Cancellations(loop, threadState)

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
        try {
            loop.execute(block)
        } catch (rejected: RejectedExecutionException) {
            continueElsewhere(loop, context, block, rejected)
        }
    }

    /** A loop has one thread, so this one is limited enough; a name shows in debug strings. */
    override fun limitedParallelism(
        parallelism: Int,
        name: String?,
    ): LoopDispatcher {
        require(parallelism >= 1) { "parallelism=$parallelism: at least 1" }
        return if (name == null) this else named(name, isImmediate)
    }

    /**
     * For a coroutine of this dispatcher: itself if it can go on right here, on the loop's thread, which needs no preparation
     * for it; else what takes it through a dispatch.
     */
    internal fun <T> prepared(waiting: Continuation<T>): Continuation<T> =
        if (loop.inLoop() && !threadState.isCarriedBy(waiting.context)) waiting else waiting.intercepted()

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
