package dev.carillon.coroutines

import kotlin.coroutines.CoroutineContext

/**
 * Knows which coroutines carry something for their thread (a logger's context), which must be prepared before they run.
 *
 * To look through a context takes longer than all the rest of a turn, so the two that were looked through last are kept:
 * coroutines that take turns with each other are not looked at again.
 *
 * **Threading:** the loop's.
 */
internal class ThreadState {
    private var last: CoroutineContext? = null
    private var lastCarries = false
    private var other: CoroutineContext? = null
    private var otherCarries = false

    fun isCarriedBy(context: CoroutineContext): Boolean =
        when {
            context === last -> lastCarries
            context === other -> otherCarries
            else -> look(context)
        }

    private fun look(context: CoroutineContext): Boolean {
        other = last
        otherCarries = lastCarries
        last = context
        lastCarries = context.carriesThreadState()
        return lastCarries
    }
}
