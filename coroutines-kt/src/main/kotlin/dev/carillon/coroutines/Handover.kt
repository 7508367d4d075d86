package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.Job
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume

// r[impl kt.hand-over] r[impl kt.interop]

/**
 * Where a coroutine is handed what must not be lost: a signal, a ring, a connection, a buffer.
 *
 * It is settled once, by whoever comes first: something that is offered, a failure, or a cancellation. An offer that comes
 * later is refused, and whoever made it keeps what it offered. One that was accepted is the coroutine's, which gets its turn
 * in any case, and looks only then, in [await], whether it was cancelled: if so, it gives back what came. So nothing depends
 * on the moment of an offer: before the coroutine has suspended, while it is being cancelled, or just before its turn.
 *
 * States: [Stage.BEGINNING] -> [Stage.SUSPENDED] -> settled; or [Stage.BEGINNING] -> settled, and the coroutine goes on
 * without suspending. Settled is what came, or a [Failed]. Each step is a CAS; that to SUSPENDED publishes the fields below,
 * and nobody resumes before it.
 *
 * @param loop on whose thread a coroutine of its dispatcher goes on at once; null if each has to wait for its turn
 */
internal abstract class Handover<T>(
    private val loop: EventLoop?,
) : (Throwable?) -> Unit {
    private enum class Stage { BEGINNING, SUSPENDED }

    private class Failed(
        val cause: Throwable,
    )

    init {
        Versions.ensure()
    }

    private val state = AtomicReference<Any?>(Stage.BEGINNING)
    private var continuation: Continuation<Any?>? = null
    private var registration: DisposableHandle? = null

    /** Whether it still waits. Any thread. */
    val isOpen: Boolean get() = state.get() is Stage

    /** Hands something over; false if it is not wanted any more. Any thread. */
    fun offer(value: T): Boolean = settle(value)

    /** Ends the wait with an error; false if it is over. Any thread. */
    fun fail(cause: Throwable): Boolean = settle(Failed(cause))

    /** The job is being cancelled: nothing is wanted any more. Any thread. */
    override fun invoke(cause: Throwable?) {
        if (fail(cause ?: CancellationException("the wait was cancelled"))) {
            forget()
        }
    }

    /** Tells who would make the offer that none is wanted. Any thread, also before the wait has quite begun. */
    protected abstract fun forget()

    private fun settle(outcome: Any?): Boolean {
        while (true) {
            val stage = state.get()
            if (stage !is Stage) {
                return false
            }
            if (state.compareAndSet(stage, outcome)) {
                if (stage == Stage.SUSPENDED) {
                    goOn(outcome)
                }
                return true
            }
        }
    }

    private fun goOn(outcome: Any?) {
        val waiting = checkNotNull(continuation) { "nobody waits here" }
        val dispatcher = waiting.context[ContinuationInterceptor] as? LoopDispatcher
        if (outcome is Failed && dispatcher != null && dispatcher.loop.isStopping && dispatcher.loop.inLoop()) {
            dispatcher.loop.afterServices { waiting.intercepted().resume(outcome) }
            return
        }
        val atOnce = loop != null && outcome !is Failed && dispatcher != null && dispatcher.loop === loop
        (if (atOnce) dispatcher.prepared(waiting) else waiting.intercepted()).resume(outcome)
    }

    fun prepare(waiting: Continuation<Any?>) {
        continuation = waiting
    }

    /** After the wait has begun; returns what came already, or that the coroutine is to suspend. */
    fun suspendOrReturn(job: Job?): Any? {
        // Before the step below, since from then on the coroutine may run, and dispose of it.
        registration = job?.onCancelling(this)
        return if (state.compareAndSet(Stage.BEGINNING, Stage.SUSPENDED)) COROUTINE_SUSPENDED else state.get()
    }

    /** On the coroutine's turn. */
    fun over() {
        registration?.dispose()
        registration = null
    }

    @Suppress("UNCHECKED_CAST")
    fun came(outcome: Any?): T = outcome as T

    fun failure(outcome: Any?): Throwable? = (outcome as? Failed)?.cause
}

/**
 * Waits for what comes.
 *
 * @param begin begins the wait; what it throws ends it
 * @param giveBack takes back what came, if the coroutine was cancelled meanwhile
 */
internal suspend inline fun <T> Handover<T>.await(
    crossinline begin: () -> Unit,
    giveBack: (T) -> Unit,
): T {
    val context = currentCoroutineContext()
    context.ensureActive()
    context.ensureMayWait()
    val outcome =
        suspendCoroutineUninterceptedOrReturn { continuation ->
            prepare(continuation)
            begin()
            suspendOrReturn(context[Job])
        }
    over()
    val failure = failure(outcome)
    val job = context[Job]
    if (job != null && !job.isActive) {
        if (failure == null) {
            giveBack(came(outcome))
        }
        context.cancellation(failure)?.let { throw it }
    }
    if (failure != null) {
        throw failure
    }
    return came(outcome)
}
