@file:JvmName("LoopYields")

package dev.carillon.coroutines

import dev.carillon.coroutines.local.ensureHere
import dev.carillon.coroutines.local.homeOn
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.yield
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn

// r[impl kt.local]

/**
 * Lets everything else that is ready on the loop go first: `yield()` for coroutines that stay on their loop.
 *
 * It takes no atomic operation and leaves no garbage. Cancellable: a coroutine that was cancelled while it waited for its
 * turn throws.
 *
 * **Threading:** coroutines on the dispatcher of a loop.
 *
 * @throws IllegalStateException on another dispatcher
 */
public suspend fun yieldOnLoop() {
    val context = currentCoroutineContext()
    val home = context.homeOn(null, "yieldOnLoop()")
    home.ownLoop.ensureHere("yieldOnLoop()")
    val place = home.queuePlaces.of(context)
    if (place.isForPreparedThreads) {
        // Its thread has to be prepared on its turn, which yield sees to.
        return yield()
    }
    return suspendCoroutineUninterceptedOrReturn { continuation ->
        place.take(continuation)
        COROUTINE_SUSPENDED
    }
}
