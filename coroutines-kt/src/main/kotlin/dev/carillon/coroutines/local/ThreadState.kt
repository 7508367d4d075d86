package dev.carillon.coroutines.local

import kotlinx.coroutines.ThreadContextElement
import kotlin.coroutines.CoroutineContext

/**
 * Knows which coroutines carry something for their thread (a logger's context), which must be prepared before they run.
 *
 * To look through a context takes longer than all the rest of a turn, so the two that were looked through last are kept:
 * coroutines that take turns with each other are not looked at again. They are kept only while some coroutine waits or has
 * just waited in a [WaiterQueue], see [WaiterWatch]: a context holds whatever its coroutine was given, which may be much, and
 * is not to outlive it on a loop that has nothing else to do.
 *
 * **Threading:** the loop's.
 */
internal class ThreadState {
    private var last: CoroutineContext? = null
    private var lastCarries = false
    private var other: CoroutineContext? = null
    private var otherCarries = false

    /** Whether what was looked at is kept, until [forget]. */
    var isKept: Boolean = false
        private set

    fun keep() {
        isKept = true
    }

    fun forget() {
        isKept = false
        last = null
        other = null
    }

    fun isCarriedBy(context: CoroutineContext): Boolean =
        when {
            context === last -> lastCarries
            context === other -> otherCarries
            isKept -> look(context)
            else -> context.carriesThreadState()
        }

    private fun look(context: CoroutineContext): Boolean {
        other = last
        otherCarries = lastCarries
        last = context
        lastCarries = context.carriesThreadState()
        return lastCarries
    }
}

/** Whether there is something in the context for which the thread has to be prepared. */
internal fun CoroutineContext.carriesThreadState(): Boolean =
    fold(false) { found, element -> found || element is ThreadContextElement<*> }
