package dev.carillon.coroutines

import kotlinx.coroutines.ThreadContextElement
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/** State of a thread that a coroutine carries along, as loggers do. */
class Carried(
    private val local: ThreadLocal<String>,
    private val value: String,
) : AbstractCoroutineContextElement(Key),
    ThreadContextElement<String> {
    companion object Key : CoroutineContext.Key<Carried>

    override fun updateThreadContext(context: CoroutineContext): String = local.get().also { local.set(value) }

    override fun restoreThreadContext(
        context: CoroutineContext,
        oldState: String,
    ) = local.set(oldState)
}
