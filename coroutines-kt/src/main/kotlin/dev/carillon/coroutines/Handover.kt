package dev.carillon.coroutines

import dev.carillon.coroutines.local.HomeLoop
import dev.carillon.coroutines.local.Turn
import dev.carillon.coroutines.local.afterServices
import dev.carillon.coroutines.local.cancellation
import dev.carillon.coroutines.local.ensureMayWait
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.Job
import kotlinx.coroutines.ensureActive
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn

// r[impl kt.hand-over] r[impl kt.interop]

/**
 * Where a coroutine is handed what must not be lost: a signal, a ring, a connection, a buffer.
 *
 * The first to come settles it, once: an offer, a failure, or a cancellation. An offer that comes later is refused, and the side
 * that made it keeps the value. An offer that was accepted belongs to the coroutine, which gets its turn in any case. Only the
 * turn, in [conclude], looks whether the coroutine was cancelled, and gives the value back if so. So nothing depends
 * on the moment of an offer: before the coroutine has suspended, while it is being cancelled, or just before its turn.
 *
 * States: [Stage.BEGINNING] -> [Stage.SUSPENDED] -> settled; or [Stage.BEGINNING] -> settled, and the coroutine goes on
 * without suspending. Settled is what came, or a [Failed]. Each step is a CAS; that to SUSPENDED publishes the fields below,
 * and the coroutine is not resumed before it.
 */
internal abstract class Handover<T> :
    Turn(),
    (Throwable?) -> Unit {
    private enum class Stage { BEGINNING, SUSPENDED }

    private class Failed(
        val cause: Throwable,
    )

    init {
        Versions.ensure()
    }

    private val state = AtomicReference<Any?>(Stage.BEGINNING)
    private var job: Job? = null
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

    /** Takes the wait back from the side that would make the offer. Any thread, also before the wait has quite begun. */
    protected open fun forget() {}

    /** Takes back what came, as the coroutine was cancelled meanwhile. */
    protected open fun giveBack(value: T) {}

    /** What a job is to call when it is being cancelled. */
    protected open fun canceller(): (Throwable?) -> Unit = this

    private fun settle(outcome: Any?): Boolean {
        while (true) {
            val stage = state.get()
            if (stage !is Stage) {
                return false
            }
            if (state.compareAndSet(stage, outcome)) {
                if (stage == Stage.SUSPENDED) {
                    if (outcome is Failed) goOnFailed() else goOn()
                }
                return true
            }
        }
    }

    /** Never in place: it may come in the midst of a call, such as a close, and to many at once. */
    private fun goOnFailed() {
        val loop = (context[ContinuationInterceptor] as? HomeLoop)?.ownLoop
        if (loop != null && loop.isStopping && loop.inLoop()) loop.afterServices { dispatch() } else dispatch()
    }

    /** Waits for what comes; [begin] begins the wait, and what it throws ends it. */
    suspend inline fun await(crossinline begin: () -> Unit): T =
        suspendCoroutineUninterceptedOrReturn { continuation ->
            enter(continuation)
            begin()
            suspendOrReturn()
        }

    fun enter(continuation: Continuation<*>) {
        val context = continuation.context
        val job = context[Job]
        job?.ensureActive()
        context.ensureMayWait()
        this.job = job
        prepare(continuation)
    }

    /** After the wait has begun; returns what came already, or that the coroutine is to suspend. */
    fun suspendOrReturn(): Any? {
        if (isOpen) {
            // Before the step to SUSPENDED, since from then on the coroutine may run, and dispose of it.
            registration = job?.onCancelling(canceller())
            if (state.compareAndSet(Stage.BEGINNING, Stage.SUSPENDED)) {
                return COROUTINE_SUSPENDED
            }
        }
        return conclude(inPlace = true)
    }

    final override fun take(inPlace: Boolean) {
        val waiting = waiting()
        waiting.resumeWith(runCatching { conclude(inPlace) })
    }

    /** Returns what came, or throws; on the coroutine's turn. */
    protected open fun conclude(inPlace: Boolean): Any? {
        registration?.dispose()
        val outcome = state.get()
        val failure = (outcome as? Failed)?.cause
        val cancellation = job?.cancellation(failure)
        if (cancellation != null && failure == null) {
            @Suppress("UNCHECKED_CAST")
            giveBack(outcome as T)
        }
        (cancellation ?: failure)?.let { throw it }
        return outcome
    }

    /** It can be used for another wait: no other object knows it any more. */
    protected fun renew() {
        release()
        job = null
        registration = null
        state.setRelease(Stage.BEGINNING)
    }
}
