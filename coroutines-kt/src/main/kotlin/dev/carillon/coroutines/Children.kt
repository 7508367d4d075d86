@file:JvmName("ChildWaits")

package dev.carillon.coroutines

import dev.carillon.ExitStatus
import dev.carillon.loop.EventLoop
import dev.carillon.loop.Watch
import dev.carillon.process.Child
import dev.carillon.process.ExitCallback
import dev.carillon.process.Output
import dev.carillon.process.OutputOptions
import dev.carillon.process.ProcessWatch
import dev.carillon.process.Spawn
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

// r[impl kt.process] r[impl kt.scoped-child]

/**
 * Waits for the child's end, and tells how it ended; asking after its end gives the same.
 *
 * Cancellable; the child goes on then, and its end can be asked for again.
 *
 * It works also when the loop on which the child was started is closed, before the wait or during it: then the shared loop
 * takes the child's end. A coroutine of the closed loop itself waits on, too, and is cancelled when the child has ended.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @throws IllegalStateException if other code took its end
 */
public suspend fun Child.awaitExit(): ExitStatus {
    val wait = ExitHandover()
    return wait.await { wait.startOn(this) }
}

/** A coroutine that waits for a child's end; there is nothing to give back, as anybody can ask for it again. */
private class ExitHandover :
    Handover<ExitStatus>(),
    ExitCallback {
    private var watch: Watch? = null

    fun startOn(child: Child) {
        watch = child.onExit(this)
    }

    override fun ended(
        status: ExitStatus?,
        failure: Throwable?,
    ) {
        if (status != null) {
            offer(status)
        } else {
            fail(checkNotNull(failure) { "neither a status nor a failure" })
        }
    }

    override fun forget() {
        watch?.close()
    }
}

/**
 * Waits for the end of a process that need not be a child; there is no exit code.
 *
 * Cancellable; the watch goes on then, and so do other waits on it.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @throws dev.carillon.ClosedException if the watch is closed or its loop ends, before or meanwhile; a coroutine of a loop that
 *     ends is cancelled instead, with that as the cause
 */
public suspend fun ProcessWatch.awaitEnd() {
    awaitStage { exited() }
}

/**
 * Waits for the child's end as [awaitExit] does; a cancelled coroutine ends the child first.
 *
 * It sends SIGTERM, after [grace] SIGKILL, and comes back when the child is gone, and with it the group that it leads
 * ([Child.end]). So a child that was started in a scope does not outlive it. The grace is real time, on `Dispatchers.IO`: it
 * holds also where the loop of the coroutine has ended, and under `runTest`.
 */
public suspend fun Child.awaitExitOrEnd(grace: Duration = 5.seconds): ExitStatus =
    try {
        awaitExit()
    } catch (cancelled: CancellationException) {
        // The coroutine's own dispatcher may be that of a loop that has ended, or have a time of its own.
        withContext(NonCancellable + Dispatchers.IO) { end(grace) }
        throw cancelled
    }

private suspend fun Child.end(grace: Duration) {
    awaitStage { end(grace.coerceAtLeast(Duration.ZERO).toJavaDuration()) }
}

/**
 * Starts a child that ends with a scope: it is a child of the scope's job, too.
 *
 * The scope waits for its end, as for that of a coroutine. When the scope is cancelled, or fails, the child and the group that
 * it leads are ended as by [awaitExitOrEnd]. How the child ends is no failure of the scope: ask for it with [awaitExit]. In a scope
 * that is cancelled already nothing is started.
 *
 * @param loop watches for its end and has its pipes
 * @throws dev.carillon.process.SpawnException if the program cannot be run
 * @throws CancellationException if the scope is cancelled
 */
public fun Spawn.Builder.startIn(
    scope: CoroutineScope,
    loop: EventLoop,
    grace: Duration = 5.seconds,
): Child {
    scope.ensureActive()
    val child = start(loop)
    var isOwned = false
    try {
        // Undispatched: it begins also where the scope is cancelled just now, and then ends the child.
        scope.launch(start = CoroutineStart.UNDISPATCHED) { child.endWithThisCoroutine(grace) }
        isOwned = true
        return child
    } finally {
        if (!isOwned) {
            child.kill()
            child.close()
        }
    }
}

private suspend fun Child.endWithThisCoroutine(grace: Duration) {
    try {
        awaitExitOrEnd(grace)
    } catch (unknown: IllegalStateException) {
        if (unknown is CancellationException) {
            throw unknown
        }
        // Somebody else took its end; who asks for that is told.
    }
}

/**
 * Starts a child and waits until it has ended; returns how it ended and what it wrote.
 *
 * Cancellable: then the child, and the group that it leads, are ended, with the grace of [options] in real time, and this throws
 * when they are gone. No process, descriptor or thread is left.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @throws dev.carillon.process.OutputException if the timeout of [options] is over
 * @throws dev.carillon.process.SpawnException if the program cannot be run
 * @throws dev.carillon.ClosedException if [loop] ends first; a coroutine of that loop is cancelled instead
 */
public suspend fun Spawn.Builder.awaitOutput(
    loop: EventLoop,
    options: OutputOptions = OutputOptions.defaults(),
): Output {
    currentCoroutineContext().ensureActive()
    val collection = collect(loop, options)
    try {
        return awaitStage { collection.output() }
    } catch (cancelled: CancellationException) {
        withContext(NonCancellable + Dispatchers.IO) {
            collection.output().cancel(false)
            awaitStage { collection.child().end(options.grace()) }
            collection.child().close()
        }
        throw cancelled
    }
}
