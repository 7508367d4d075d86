package dev.carillon.coroutines.local

import dev.carillon.loop.EventLoop
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.jvm.internal.CoroutineStackFrame
import kotlin.coroutines.resume

// r[impl kt.resume]

/**
 * The turn of a coroutine that waits: the one way in which it goes on.
 *
 * On the thread of its own loop it goes on right there, in the callback in which it got what it waited for. Everything else
 * passes through its dispatcher: from another thread, on a loop that is stopping, with state for the thread
 * (ThreadContextElement), and after a failure. Either way [take] is called once, and decides what the coroutine gets.
 *
 * The dispatcher is given this object instead of the coroutine, so that the decision is made on the turn and not before it.
 */
internal abstract class Turn :
    Continuation<Unit>,
    CoroutineStackFrame {
    private var waiting: Continuation<Any?>? = null

    /** The coroutine is about to suspend. */
    fun prepare(continuation: Continuation<*>) {
        @Suppress("UNCHECKED_CAST")
        waiting = continuation as Continuation<Any?>
    }

    /** The coroutine that waits. */
    protected fun waiting(): Continuation<Any?> = checkNotNull(waiting) { "no coroutine waits here" }

    /** It knows the coroutine no longer, and can be used for another one. */
    protected fun release() {
        waiting = null
    }

    /**
     * Decides what the coroutine gets, and goes on with it.
     *
     * @param inPlace whether no dispatcher is involved, which may look at this object later
     */
    protected abstract fun take(inPlace: Boolean)

    /** What was waited for is there: in a callback of the loop, or on whatever other thread. */
    protected fun goOn() {
        val context = context
        val interceptor = context[ContinuationInterceptor]
        if (interceptor is HomeLoop && interceptor.ownLoop.letsGoOn() &&
            !interceptor.threadState.isCarriedBy(context)
        ) {
            take(inPlace = true)
        } else {
            dispatch(interceptor)
        }
    }

    /** It has had its place in the queue of its loop, whose thread this is. */
    protected fun goOnFromQueue(threadState: ThreadState) {
        if (threadState.isCarriedBy(context)) dispatch() else take(inPlace = true)
    }

    /**
     * Goes on by the dispatcher, wherever this is. Not by the immediate one: where that needs no dispatch, kotlinx.coroutines
     * does not put back what a withContext around this has changed of the thread.
     */
    protected fun dispatch(interceptor: ContinuationInterceptor? = context[ContinuationInterceptor]) {
        val dispatcher = if (interceptor is HomeLoop) interceptor.byTurn else interceptor
        (dispatcher?.interceptContinuation(this) ?: this).resume(Unit)
    }

    final override val context: CoroutineContext get() = waiting().context

    /** The dispatcher has prepared the thread. */
    final override fun resumeWith(result: Result<Unit>) = take(inPlace = false)

    // kotlinx.coroutines looks for the frame whose thread state it has to keep, and debuggers for the stack.
    final override val callerFrame: CoroutineStackFrame? get() = waiting as? CoroutineStackFrame

    final override fun getStackTraceElement(): StackTraceElement? = null
}

/** Whether a callback of this loop runs here, so that its coroutines can go on; one that is stopping lets none. */
internal fun EventLoop.letsGoOn(): Boolean = inLoop() && !isStopping
