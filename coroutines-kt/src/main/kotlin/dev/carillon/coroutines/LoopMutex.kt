package dev.carillon.coroutines

import dev.carillon.coroutines.local.WaiterQueue
import dev.carillon.coroutines.local.ensureHere
import dev.carillon.coroutines.local.homeOn
import dev.carillon.coroutines.local.isHereOrOver
import dev.carillon.coroutines.local.tryHere
import dev.carillon.loop.EventLoop
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn

// r[impl kt.local]

/**
 * Lets one coroutine of a loop in at a time, also across its suspensions; without atomic operations. Not reentrant.
 *
 * When the loop ends, coroutines that wait here are cancelled.
 *
 * **Threading:** coroutines on the dispatcher of [loop]; everything else is an IllegalStateException.
 *
 * **Order:** first come, first served.
 */
public class LoopMutex(
    /** The loop that it belongs to. */
    @get:JvmName("loop") public val loop: EventLoop,
) {
    private val waiters = WaiterQueue<Unit>(onRefused = { release() })

    /** Whether a coroutine is in. */
    public var isLocked: Boolean = false
        private set

    /** Waits until no coroutine is in, and goes in. Cancellable: then the caller is not in. */
    public suspend fun lock() {
        if (tryHere { tryLock() }) {
            return
        }
        return suspendCoroutineUninterceptedOrReturn { continuation ->
            val home = continuation.context.homeOn(loop, "LoopMutex.lock")
            waiters.add(home, continuation, item = null)
            COROUTINE_SUSPENDED
        }
    }

    /** Goes in if no coroutine is in. */
    public fun tryLock(): Boolean {
        loop.ensureHere("LoopMutex.lock")
        if (isLocked) {
            return false
        }
        isLocked = true
        return true
    }

    /** Goes out and lets the next one in. When the loop has ended, it does nothing. */
    public fun unlock() {
        if (!loop.isHereOrOver("LoopMutex.unlock")) {
            return
        }
        check(isLocked) { "isLocked=false: unlock() without lock()" }
        release()
    }

    private fun release() {
        val next = waiters.poll()
        if (next == null) {
            isLocked = false
        } else {
            next.callWith(Unit)
        }
    }

    /** Calls [action] while no other coroutine is in. Cancellable while it waits to get in. */
    public suspend inline fun <T> withLock(action: () -> T): T {
        lock()
        try {
            return action()
        } finally {
            unlock()
        }
    }
}
