package dev.carillon.coroutines.local

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext

// What is confined to a loop says so, rather than break in silence.

/** Throws on another thread than the loop's. */
internal fun EventLoop.ensureHere(what: String) {
    if (!isHereOrOver(what)) {
        throw RejectedExecutionException("$what came too late: $this takes nothing any more")
    }
}

/** Tries what belongs on the loop's thread. Where that comes too late for a coroutine that was cancelled, this is thrown again. */
internal suspend inline fun <T> tryHere(action: () -> T): T =
    try {
        action()
    } catch (late: RejectedExecutionException) {
        currentCoroutineContext().ensureActive()
        throw late
    }

/** Whether this is the loop's thread; false on another one if the loop is over, where coroutines clean up. */
internal fun EventLoop.isHereOrOver(what: String): Boolean {
    if (inLoop()) {
        return true
    }
    if (isStopping) {
        return false
    }
    throw IllegalStateException(
        "$what belongs on the thread of $this, this is ${Thread.currentThread().name}; use withContext(loop.dispatcher)",
    )
}

private val CHECKED = java.lang.Boolean.getBoolean("carillon.checks")

/** What `runBlocking` puts into its context if it is given no dispatcher; kotlinx.coroutines keeps the class for itself. */
private const val RUN_BLOCKING = "kotlinx.coroutines.BlockingEventLoop"

// r[impl kt.blocking-guard]

/** Throws in checked mode where a coroutine of `runBlocking` would wait, on the very thread that is to end its wait. */
internal fun CoroutineContext.ensureMayWait() {
    if (CHECKED && this[ContinuationInterceptor]?.javaClass?.name == RUN_BLOCKING) {
        val loop = EventLoop.currentOrNull()
        check(loop == null) {
            "runBlocking would block the event loop of thread ${Thread.currentThread().name}, so $loop could not end " +
                "the wait that begins in it; call runBlocking on another thread, or launch the coroutine with loop.dispatcher"
        }
    }
}
