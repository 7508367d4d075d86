package dev.carillon.coroutines

import dev.carillon.loop.Completion
import dev.carillon.loop.Operation

// r[impl kt.io]

/**
 * A coroutine that waits for an operation of a loop.
 *
 * It is resumed by the completion and by nothing else: a cancelled one waits until the loop has let go of its buffer, whose
 * position is final then.
 */
internal class PendingOperation :
    Handover<Operation>(loop = null),
    Completion {
    val operation: Operation = Operation.of(this)

    override fun completed(operation: Operation) {
        val failure = operation.failure()
        if (failure == null) offer(operation) else fail(failure)
    }

    override fun invoke(cause: Throwable?) = forget()

    override fun forget() {
        operation.cancel()
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
    val pending = PendingOperation()
    return pending.await({ start(pending.operation) }, undo)
}

/** How many bytes were moved. */
internal fun Operation.count(): Int = result().toInt()

/** What the operation made. */
internal inline fun <reified T> Operation.made(): T = value() as T
