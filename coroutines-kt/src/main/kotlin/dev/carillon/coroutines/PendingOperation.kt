package dev.carillon.coroutines

import dev.carillon.loop.Completion
import dev.carillon.loop.Operation
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.Job
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.Continuation
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume

// r[impl kt.io] r[impl kt.interop]

/**
 * A coroutine that waits for an operation of a loop.
 *
 * It is resumed by the completion and by nothing else: a cancelled one waits until the loop has let go of its buffer, whose
 * position is final then. Since it is looked at only after that whether the coroutine was cancelled, what came with the
 * operation has either been returned, or is still there to be given back.
 */
internal class PendingOperation(
    private val continuation: Continuation<Operation>,
) : Completion,
    (Throwable?) -> Unit {
    val operation: Operation = Operation.of(this)

    /** States: null -> a registration with the job -> [Over]; or null -> [Over]. */
    private val registration = AtomicReference<DisposableHandle?>()

    /** After the start, since a cancel means a start that has happened. */
    fun cancelWith(job: Job?) {
        if (job != null) {
            val handle = job.onCancelling(this)
            if (!registration.compareAndSet(null, handle)) {
                handle.dispose()
            }
        }
    }

    /** The job is being cancelled; on any thread. */
    override fun invoke(cause: Throwable?) = operation.cancel()

    override fun completed(operation: Operation) {
        registration.getAndSet(Over)?.dispose()
        continuation.resume(operation)
    }

    private object Over : DisposableHandle {
        override fun dispose() = Unit
    }
}

/**
 * Starts an operation, waits for it, and throws if it failed.
 *
 * @param undo takes back what came, if the coroutine was cancelled meanwhile
 */
internal suspend inline fun perform(
    crossinline start: (Operation) -> Unit,
    undo: (Operation) -> Unit = {},
): Operation {
    val context = currentCoroutineContext()
    context.ensureActive()
    val done =
        suspendCoroutineUninterceptedOrReturn { continuation ->
            val pending = PendingOperation(continuation.intercepted())
            start(pending.operation)
            pending.cancelWith(context[Job])
            COROUTINE_SUSPENDED
        }
    val failure = done.failure()
    val job = context[Job]
    if (job != null && !job.isActive) {
        if (failure == null) {
            undo(done)
        }
        job.ensureActive()
    }
    if (failure != null) {
        throw failure
    }
    return done
}

/** How many bytes were moved. */
internal fun Operation.count(): Int = result().toInt()

/** What the operation made. */
internal inline fun <reified T> Operation.made(): T = value() as T
