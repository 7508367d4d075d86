package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.CoroutineStart.DEFAULT
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.util.SplittableRandom
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.ContinuationInterceptor

/** How a coroutine is started: where it goes on, and on which thread it begins. */
internal class RaceWay private constructor(
    private val name: String,
    /** Null: that of the calling runBlocking. */
    private val dispatcher: CoroutineDispatcher?,
    private val start: CoroutineStart,
    private val startedOn: EventLoop? = null,
) {
    suspend fun launch(
        scope: CoroutineScope,
        block: suspend CoroutineScope.() -> Unit,
    ): Job {
        val context = dispatcher ?: checkNotNull(scope.coroutineContext[ContinuationInterceptor])
        val begin = { scope.launch(context, start, block) }
        return if (startedOn == null) begin() else withContext(startedOn.dispatcher) { begin() }
    }

    /** Where the coroutine goes on, however it was started. */
    val dispatcherName get() = name.substringBefore(',')

    override fun toString() = name

    companion object {
        /** All ways of coroutines of a loop. */
        fun onTheLoop(loop: EventLoop) =
            listOf(
                RaceWay("loop", loop.dispatcher, DEFAULT),
                RaceWay("loop, undispatched there", loop.dispatcher, UNDISPATCHED, loop),
                RaceWay("immediate", loop.dispatcher.immediate, DEFAULT),
                RaceWay("immediate, started there", loop.dispatcher.immediate, DEFAULT, loop),
            )

        /** Those, and the ways of coroutines elsewhere that wait for something of the loop. */
        fun anywhere(
            loop: EventLoop,
            other: EventLoop,
        ) = onTheLoop(loop) +
            listOf(
                RaceWay("loop, undispatched elsewhere", loop.dispatcher, UNDISPATCHED),
                RaceWay("another loop", other.dispatcher, DEFAULT),
                RaceWay("another loop, undispatched there", other.dispatcher, UNDISPATCHED, other),
                RaceWay("Default", Dispatchers.Default, DEFAULT),
                RaceWay("Default, undispatched", Dispatchers.Default, UNDISPATCHED),
                RaceWay("IO", Dispatchers.IO, DEFAULT),
                RaceWay("Unconfined", Dispatchers.Unconfined, DEFAULT),
                RaceWay("Unconfined, on the loop", Dispatchers.Unconfined, DEFAULT, loop),
                RaceWay("runBlocking", null, DEFAULT),
                RaceWay("runBlocking, undispatched", null, UNDISPATCHED),
            )
    }
}

/** A thread that comes in between when a wait is just beginning, after a moment that is seldom the same. */
internal class Ambush(
    private val random: SplittableRandom,
) : AutoCloseable {
    private val next = AtomicReference<(() -> Unit)?>()

    @Volatile
    private var hasEnded = false

    @Volatile
    private var failure: Throwable? = null
    private val thread =
        Thread(::run, "ambush").apply {
            setUncaughtExceptionHandler { _, thrown -> failure = thrown }
            start()
        }

    /** In place of what has not begun yet. */
    fun soon(attack: () -> Unit) = next.set(attack)

    /** From here on it has done what it was told, and the caller sees that. */
    fun awaitDone() {
        while (next.get() != null) {
            failure?.let { throw it }
            Thread.yield()
        }
    }

    /** In an attack: time for a coroutine to go on, or not. */
    fun pause() = spin(MAX_PAUSE_NANOS)

    private fun spin(mostNanos: Int) {
        val end = System.nanoTime() + random.nextInt(mostNanos)
        while (System.nanoTime() < end) Thread.onSpinWait()
    }

    private fun run() {
        while (!hasEnded) {
            val attack = next.get()
            if (attack == null) {
                Thread.yield()
            } else {
                spin(MAX_NANOS)
                attack()
                next.compareAndSet(attack, null)
            }
        }
    }

    override fun close() {
        hasEnded = true
        thread.join()
    }

    private companion object {
        private const val MAX_NANOS = 8_000
        private const val MAX_PAUSE_NANOS = 60_000
    }
}
