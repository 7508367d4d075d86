package dev.carillon.coroutines

import dev.carillon.coroutines.local.HomeLoop
import dev.carillon.io.Completion
import dev.carillon.io.Operation
import dev.carillon.loop.EventLoop
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn

// r[impl kt.io]

/**
 * Starts an operation of that loop, waits for it, and throws if it failed.
 *
 * One that needs no wait is not waited for, as often as the loop allows that between two turns of others. A coroutine of the
 * loop leaves no garbage then, and little if it waits.
 */
internal suspend inline fun <T> perform(
    loop: EventLoop,
    result: OperationResult<T>,
    crossinline start: (Operation) -> Unit,
): T =
    suspendCoroutineUninterceptedOrReturn { continuation ->
        val pending = PendingOperation.of(loop, result, continuation)
        start(pending.operation)
        pending.takeOrSuspend()
    }

/** What an operation gives to the coroutine that waits for it. */
internal class OperationResult<out T>(
    /** Takes back what came, if the coroutine was cancelled meanwhile. */
    val undo: (Operation) -> Unit = {},
    val of: (Operation) -> T,
) {
    companion object {
        /** How many bytes were moved. */
        val COUNT = OperationResult { it.result().toInt() }
        val LONG_COUNT = OperationResult { it.result() }
        val NOTHING = OperationResult { }

        /** What the operation made. */
        inline fun <reified T> made(noinline undo: (T) -> Unit = {}): OperationResult<T> =
            OperationResult({ undo(it.value() as T) }) { it.value() as T }
    }
}

/**
 * A coroutine that waits for an operation of a loop.
 *
 * It is resumed by the completion and by nothing else: a cancelled one waits until the loop has let go of its buffer, whose
 * position is final then.
 *
 * @param free where it is kept when its coroutine goes on, to be used again; null if it is used once
 */
internal class PendingOperation private constructor(
    private val free: FreeOperations?,
) : Handover<Operation>(),
    Completion {
    val operation: Operation = Operation.of(this)

    /** The next one that is free. */
    var next: PendingOperation? = null
    private var result: OperationResult<*>? = null
    private var canceller: Canceller? = null

    /** Takes the result if the operation needed no wait. */
    fun takeOrSuspend(): Any? {
        if (operation.tryTake()) {
            completed(operation)
        }
        return suspendOrReturn()
    }

    override fun completed(operation: Operation) {
        val failure = operation.failure()
        if (failure == null) offer(operation) else fail(failure)
    }

    override fun canceller(): (Throwable?) -> Unit = Canceller(operation).also { canceller = it }

    override fun giveBack(value: Operation) {
        result?.undo?.invoke(value)
    }

    override fun conclude(inPlace: Boolean): Any? {
        super.conclude(inPlace)
        val given = checkNotNull(result) { "no coroutine waits here" }.of(operation)
        if (inPlace && free != null && canceller?.tryEnd() != false) {
            result = null
            canceller = null
            renew()
            free.add(this)
        }
        return given
    }

    companion object {
        /** For a coroutine of the loop, on its thread, one that was used before. */
        fun of(
            loop: EventLoop,
            result: OperationResult<*>,
            continuation: Continuation<*>,
        ): PendingOperation {
            val home = continuation.context[ContinuationInterceptor] as? OperationHome
            val isHere = home != null && home.ownLoop === loop && EventLoop.currentOrNull() === loop
            val free = if (isHere) home.freeOperations else null
            val pending = free?.poll() ?: PendingOperation(free)
            pending.enter(continuation)
            pending.result = result
            return pending
        }
    }
}

/** Ends one wait for an operation, when its job is cancelled. What comes late does not hit the next wait. */
private class Canceller(
    private val operation: Operation,
) : AtomicBoolean(),
    (Throwable?) -> Unit {
    override fun invoke(cause: Throwable?) {
        if (compareAndSet(false, true)) {
            operation.cancel()
        }
    }

    /** The wait is over; false if the cancel was first, which may be under way still. */
    fun tryEnd(): Boolean = compareAndSet(false, true)
}

/** The dispatcher of a loop keeps operations that can be used again. */
internal interface OperationHome : HomeLoop {
    val freeOperations: FreeOperations
}

/** Operations that no coroutine waits for, to be used again. **Threading:** the loop's. */
internal class FreeOperations {
    private var first: PendingOperation? = null
    private var size = 0

    fun poll(): PendingOperation? {
        val pending = first ?: return null
        first = pending.next
        pending.next = null
        size--
        return pending
    }

    fun add(pending: PendingOperation) {
        if (size < MAX_FREE) {
            size++
            pending.next = first
            first = pending
        }
    }

    private companion object {
        /** What a burst has left behind is not kept for ever. */
        private const val MAX_FREE = 64
    }
}
