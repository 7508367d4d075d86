package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.SignalInfo
import dev.carillon.lifecycle.Lifecycle
import dev.carillon.lifecycle.LifecycleBuilder
import dev.carillon.lifecycle.Registration
import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CompletableJob
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toKotlinDuration

/**
 * What [runService] gives to a service: its scope, its loop, and what is to happen at its end.
 *
 * **Threading:** any thread.
 */
public class ServiceScope internal constructor(
    scope: CoroutineScope,
    /** The loop on which the service runs; it is closed after all hooks. */
    public val loop: EventLoop,
    /** The lifecycle of the process, for everything that is not offered here. */
    public val lifecycle: Lifecycle,
) : CoroutineScope by scope {
    /** Says that the service serves now, see [Lifecycle.ready]. */
    public fun ready() {
        lifecycle.ready()
    }

    /** Adds a step that cleans up after all coroutines have ended; such steps run the newest first, one at a time. */
    public fun onShutdown(
        name: String,
        hook: suspend () -> Unit,
    ): Registration = lifecycle.onShutdown(name) { runBlocking { hook() } }

    /** Adds a step that comes before the coroutines are cancelled: it stops accepting work. */
    public fun onStopAccepting(
        name: String,
        hook: suspend () -> Unit,
    ): Registration = lifecycle.onStopAccepting(name) { runBlocking { hook() } }

    /** Adds a look at a new configuration, see [Lifecycle.onReload]; it throws if the configuration is not good. */
    public fun onReload(
        name: String,
        validate: suspend () -> Unit,
    ): Registration = lifecycle.onReload(name) { runBlocking { validate() } }

    /** Calls back whenever a signal comes, off the loop, see [Lifecycle.handle]. */
    public fun handle(
        signal: Signal,
        handler: suspend (SignalInfo) -> Unit,
    ): Registration = lifecycle.handle(signal) { info -> runBlocking { handler(info) } }
}

private val LOOK_AGAIN = 20.milliseconds
private val LOOK_SELDOM = 500.milliseconds

/** Below the frames of a coroutine, and below those of a `runBlocking`. */
private const val COROUTINE = "kotlin.coroutines.jvm.internal.BaseContinuationImpl"
private const val BLOCKING = "kotlinx.coroutines.BlockingCoroutine"
private val ANSWERS_WITHIN = 1.seconds

/**
 * The `main` of a service: runs [block] on a loop of its own until it and its children have ended, or until a signal ends the
 * process.
 *
 * ```
 * fun main() = runService {
 *     onShutdown("database") { database.close() }
 *     server.serve()
 * }
 * ```
 *
 * TERM, INT and a good HUP cancel the coroutines of the service, which have [grace] to end; then the hooks run, in the time that is left,
 * and the process leaves with 128 and the signal's number. A second Ctrl+C ends it at once.
 *
 * The scope is that of a `coroutineScope`: when [block] has returned and all coroutines that it has launched have ended, the hooks run and
 * the exit code is 0. A [block] that is to end with its children running cancels them (`coroutineContext.cancelChildren()`). If it throws,
 * or a child fails, the others are cancelled, the exception is printed and the exit code is 1. A [CancellationException] that comes out of
 * the block is such a failure, as that of an expired `withTimeout`, or after the block has cancelled its own scope, unless the shutdown has
 * cancelled it. If the block closes the [lifecycle][ServiceScope.lifecycle], no hook runs: when it has ended, this returns or throws what
 * the block has thrown. If the
 * program closes the [loop][ServiceScope.loop] before that, the shutdown begins, too, with a message and the exit code 1. An `exitProcess(code)` on the loop leaves no time for coroutines to end; one on another
 * dispatcher leaves them theirs, but is not waited for itself. `lifecycle.exit(code)` is for both.
 *
 * @param grace how long the coroutines may take to end, zero or more; the time of the whole shutdown limits it, too
 * @param configure the lifecycle, such as its deadline and its window for the double tap
 * @throws IllegalArgumentException if [grace] is negative
 * @throws IllegalStateException if a lifecycle is active already
 */
public fun runService(
    grace: Duration = 10.seconds,
    configure: LifecycleBuilder.() -> Unit = {},
    block: suspend ServiceScope.() -> Unit,
) {
    // r[impl kt.service]
    require(!grace.isNegative()) { "grace=$grace: zero or more; with zero nothing is waited for" }
    val lifecycle = Lifecycle.builder().apply(configure).build()
    val loop = EventLoop.open(EventLoopOptions.builder().name("carillon-service").build()).start()
    val job = SupervisorJob()
    val thread = LoopsThread(loop)
    // First, so that it runs last: hooks of the service may need the loop. A loop whose thread does not come back ends with the VM.
    lifecycle.onShutdown("loop of the service") { if (thread.answers()) loop.close() }
    lifecycle.onDrain("coroutines of the service") {
        endCoroutines(job, minOf(grace, lifecycle.timeLeft().toKotlinDuration()), thread)
    }
    try {
        lifecycle.start()
        lifecycle.watch(loop)
    } catch (failure: Throwable) {
        loop.close()
        throw failure
    }
    val over = CompletableDeferred<Throwable?>()
    // The hook above closes it in the shutdown; before that it is somebody else, and coroutines that wait for nothing of it would hang.
    loop.register { if (!lifecycle.isShuttingDown && !vmExits()) over.complete(loopTaken()) }
    CoroutineScope(loop.dispatcher + job)
        .async { coroutineScope { ServiceScope(this, loop, lifecycle).block() } }
        .invokeOnCompletion { failure -> over.complete(if (job.isCancelled) failure.unlessCancelled() else failure) }
    val failure = runBlocking { over.await() }
    if (Lifecycle.active() === lifecycle) {
        leave(lifecycle, loop, failure)
    } else {
        endWithoutLifecycle(loop, failure)
    }
}

/** If a signal has begun the shutdown, it decides; the VM stays until that is over. */
private fun leave(
    lifecycle: Lifecycle,
    loop: EventLoop,
    failure: Throwable?,
) {
    failure?.printStackTrace()
    try {
        lifecycle.exit(if (failure == null) 0 else 1)
    } catch (closedMeanwhile: IllegalStateException) {
        endWithoutLifecycle(loop, failure)
    }
}

/** The program has closed the lifecycle: nobody else closes the loop, and the exit code is a matter of whoever has called us. */
private fun endWithoutLifecycle(
    loop: EventLoop,
    failure: Throwable?,
) {
    loop.close()
    if (failure != null) throw failure
}

/** The shutdown has cancelled the service: that it was cancelled is no failure. */
private fun Throwable?.unlessCancelled() = takeUnless { it is CancellationException }

/** Whether the VM exits, which ends all loops: then nobody has closed one. */
private fun vmExits(): Boolean =
    try {
        val probe = Thread()
        Runtime.getRuntime().addShutdownHook(probe)
        Runtime.getRuntime().removeShutdownHook(probe)
        false
    } catch (exits: IllegalStateException) {
        true
    }

/** The thread of the service's loop. If it has called `System.exit`, it waits for the shutdown, and runs nothing any more. */
private class LoopsThread(
    private val loop: EventLoop,
) {
    @Volatile private var thread: Thread? = null

    init {
        loop.execute { thread = Thread.currentThread() }
    }

    fun isInExit(): Boolean = thread?.stackTrace?.isInExit() ?: false

    /** Whether the loop runs what it is given: not if it is closed, a coroutine spins, or its thread waits for the exit of the VM. */
    fun answers(): Boolean {
        if (isInExit() || loop.isStopping) return false
        val answer = CountDownLatch(1)
        loop.execute(answer::countDown)
        return answer.await(ANSWERS_WITHIN.inWholeMilliseconds, TimeUnit.MILLISECONDS)
    }
}

private fun Array<StackTraceElement>.isInExit() = any { it.className == "java.lang.Shutdown" }

/**
 * How many coroutines have called `System.exit`, on threads of any dispatcher: they never end. A `runBlocking` on a thread of another kind,
 * as that of a handler, is none: the coroutines of the service keep their grace beside it.
 */
private fun coroutinesInExit(): Int =
    Thread.getAllStackTraces().values.count { stack ->
        stack.isInExit() &&
            stack.map { it.className }.lastOrNull { it == COROUTINE || it == BLOCKING } == COROUTINE
    }

/** How many coroutines of this family have not ended and wait for no child of theirs. */
private fun Job.busy(): Int = children.sumOf { child -> child.busy().coerceAtLeast(1) }

private enum class End { ENDED, LATE, IN_EXIT }

private suspend fun awaitEnd(
    job: Job,
    limit: Duration,
    thread: LoopsThread,
): End =
    withTimeoutOrNull(limit) {
        var pause = LOOK_AGAIN
        while (withTimeoutOrNull(pause) { job.join() } == null) {
            if (thread.isInExit() || job.busy() in 1..coroutinesInExit()) return@withTimeoutOrNull End.IN_EXIT
            // A look at all threads stops them: seldom, where coroutines need their time.
            pause = minOf(pause * 2, LOOK_SELDOM)
        }
        End.ENDED
    } ?: End.LATE

private fun endCoroutines(
    job: CompletableJob,
    limit: Duration,
    thread: LoopsThread,
) {
    job.cancel(CancellationException("the service shuts down"))
    when (runBlocking { awaitEnd(job, limit, thread) }) {
        End.ENDED -> {}

        End.LATE -> {
            throw IllegalStateException(
                "coroutines of the service did not end within $limit after they were cancelled",
            )
        }

        End.IN_EXIT -> {
            throw IllegalStateException(
                "a coroutine of the service has called System.exit, so it cannot end;" +
                    " let the block return, or call lifecycle.exit(code)",
            )
        }
    }
}

private fun loopTaken() =
    IllegalStateException(
        "the loop of the service was closed, and the service had not ended; runService closes it, after all hooks:" +
            " to end the service, let the block return, or call lifecycle.exit(code)",
    )
