@file:JvmName("ChildWaits")

package dev.carillon.coroutines

import dev.carillon.ExitStatus
import dev.carillon.Signal
import dev.carillon.loop.Watch
import dev.carillon.process.Child
import dev.carillon.process.ExitCallback
import dev.carillon.process.ProcessWatch
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

// r[impl kt.process]

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
    val wait = EndHandover()
    wait.await { wait.startOn(this) }
}

/** A coroutine that waits for the end of a process. */
private class EndHandover : Handover<Unit>() {
    private var stage: CompletableFuture<Void?>? = null

    fun startOn(watch: ProcessWatch) {
        val exited = watch.exited()
        stage = exited
        exited.whenComplete { _, failure -> if (failure == null) offer(Unit) else fail(failure) }
    }

    override fun forget() {
        stage?.cancel(false)
    }
}

/**
 * Waits for the child's end as [awaitExit] does; a cancelled coroutine ends the child first.
 *
 * It sends SIGTERM, after [grace] SIGKILL, and comes back when the child is gone. So a child that was started in a scope
 * does not outlive it. The grace is real time, on `Dispatchers.IO`: it holds also where the loop of the coroutine has ended,
 * and under `runTest`.
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
    send(Signal.SIGTERM)
    if (withTimeoutOrNull(grace) { awaitExit() } == null) {
        kill()
        awaitExit()
    }
}
