package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.SignalSet
import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import dev.carillon.signal.SignalService
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.RejectedExecutionException
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.hours

private typealias Pause = suspend () -> Unit

// r[verify kt.end]

/** Whoever looks at the cause can tell the end of a loop from another cancellation, however far out the frame is. */
class EndOfLoopFramesTest : LoopCase() {
    private val waits: Map<String, (EventLoop) -> Pause> =
        mapOf(
            "readSome" to { on -> pair(on).first.let { { it.readSome(ByteBuffer.allocate(1)) } } },
            "sleep" to { on -> { on.sleep(1.hours) } },
            "delay" to { { delay(1.hours) } },
            "awaitSignal" to { on -> service(on).let { { it.awaitSignal(Signal.SIGURG) } } },
            "receive" to { on -> { LoopChannel<Int>(on).receive() } },
        )

    private fun service(on: EventLoop) = closeLater(SignalService.attach(on, SignalSet.of(Signal.SIGURG)))

    /** Those that go to the loop from elsewhere. */
    private val framesElsewhere: Map<String, suspend (LoopDispatcher, Pause) -> Unit> =
        mapOf(
            "withContext" to { dispatcher, wait -> withContext(dispatcher) { wait() } },
            "async" to { dispatcher, wait -> supervisorScope { async(dispatcher) { wait() }.await() } },
            "flowOn" to { dispatcher, wait -> flow { emit(wait()) }.flowOn(dispatcher).collect { } },
            "channelFlow" to { dispatcher, wait -> channelFlow { send(wait()) }.flowOn(dispatcher).collect { } },
        )

    /** Those of a coroutine of the loop. */
    private val framesOnTheLoop: Map<String, suspend (LoopDispatcher, Pause) -> Unit> =
        mapOf(
            "launch" to { _, wait -> wait() },
            "coroutineScope" to { _, wait -> coroutineScope { wait() } },
            "supervisorScope" to { _, wait -> supervisorScope { wait() } },
            "a child" to { _, wait -> coroutineScope { launch { wait() } } },
            "async on the loop" to { _, wait -> coroutineScope { async { wait() }.await() } },
            "withTimeout" to { _, wait -> withTimeout(1.hours) { wait() } },
            "away and back" to { dispatcher, wait ->
                withContext(Dispatchers.Default) { withContext(dispatcher) { wait() } }
            },
        )

    private enum class End(
        val bring: (EventLoop) -> Unit,
    ) {
        CLOSED({ it.close() }),
        STOPPED({ it.requestStop() }),
        FAILED({ it.execute { throw InternalError("planted") } }),
    }

    @Test
    fun framesOutsideTheLoopSeeAClosedExceptionAsTheCause() = walk(framesElsewhere) { Dispatchers.Default }

    @Test
    fun framesOfTheLoopSeeAClosedExceptionAsTheCause() = walk(framesOnTheLoop) { it.dispatcher }

    private fun walk(
        frames: Map<String, suspend (LoopDispatcher, Pause) -> Unit>,
        start: (EventLoop) -> CoroutineContext,
    ) = within(LIMIT * 4) {
        val wrong = mutableListOf<String>()
        for (end in End.entries) {
            for ((what, wait) in waits) {
                for ((where, frame) in frames) {
                    val own = quiet("own")
                    val pause = wait(own)
                    seen(own, end, start(own)) { begins ->
                        frame(own.dispatcher) {
                            begins()
                            pause()
                        }
                    }.mapNotNullTo(wrong) { (place, thrown) ->
                        "$what in $where, $end, $place: ${inWords(thrown)}".takeIf { !saysWhatWasClosed(thrown) }
                    }
                }
            }
        }
        assertEquals("", wrong.joinToString("\n"))
    }

    private fun quiet(name: String): EventLoop {
        val options = EventLoopOptions.builder().name(name).errorHandler { _, _ -> }
        return closeLater(EventLoop.open(options.build()).start())
    }

    /** What the frame throws when the loop ends, and what the job ends with. */
    private suspend fun seen(
        own: EventLoop,
        end: End,
        start: CoroutineContext,
        frame: suspend (begins: () -> Unit) -> Unit,
    ): Map<String, Throwable?> {
        val begins = CompletableDeferred<Unit>()
        var thrown: Throwable? = null
        val job =
            CoroutineScope(start + CoroutineExceptionHandler { _, _ -> }).launch {
                try {
                    frame { begins.complete(Unit) }
                } catch (outer: Exception) {
                    thrown = outer
                    throw outer
                }
            }
        val ended = CompletableDeferred<Throwable?>()
        job.invokeOnCompletion { ended.complete(it) }
        begins.await()
        // Twice, so that what it posted is done.
        repeat(2) { withContext(own.dispatcher) { } }
        end.bring(own)
        assertTrue(own.awaitTermination(Duration.ofSeconds(20)))
        return mapOf("the job" to ended.await(), "the frame" to thrown)
    }

    private fun saysWhatWasClosed(thrown: Throwable?) =
        thrown is CancellationException && thrown.cause is ClosedException

    private fun inWords(thrown: Throwable?) = generateSequence(thrown) { it.cause }.joinToString(", because of ")

    @Test
    fun whatIsDispatchedToALoopThatHasEndedSeesAClosedExceptionAsTheCause() =
        within {
            val own = quiet("own")
            own.close()
            val ended = CompletableDeferred<Throwable?>()
            CoroutineScope(own.dispatcher).launch { }.invokeOnCompletion { ended.complete(it) }
            val thrown = ended.await()
            assertTrue(saysWhatWasClosed(thrown)) { inWords(thrown) }
            assertTrue("own" in thrown?.cause?.message.orEmpty()) { inWords(thrown) }
        }

    /** A full loop goes on, so nobody is told that it was closed. */
    @Test
    fun whoeverAFullLoopRefusesIsNotToldThatItWasClosed() =
        within {
            val full =
                closeLater(
                    EventLoop.open(
                        EventLoopOptions
                            .builder()
                            .name("full")
                            .backlog(1)
                            .build(),
                    ),
                )
            full.execute { }
            val ended = CompletableDeferred<Throwable?>()
            CoroutineScope(full.dispatcher).launch { }.invokeOnCompletion { ended.complete(it) }
            val thrown = ended.await()
            assertTrue(thrown?.cause is RejectedExecutionException) { inWords(thrown) }
        }
}
