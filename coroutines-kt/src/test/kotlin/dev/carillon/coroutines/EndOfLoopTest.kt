package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.SignalSet
import dev.carillon.io.DatagramSocket
import dev.carillon.io.Inotify
import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import dev.carillon.process.Child
import dev.carillon.process.ProcessWatch
import dev.carillon.process.Spawn
import dev.carillon.shm.doorbell.Doorbell
import dev.carillon.signal.SignalService
import dev.carillon.test.LeakExempt
import dev.carillon.test.LeakKind
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.Continuation
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.hours

private typealias Wait = suspend () -> Any?

// r[verify kt.end]

/** What those who wait get when a loop ends: the table in docs/coroutines.md, row by row. */
@LeakExempt(
    kinds = [LeakKind.THREAD, LeakKind.DESCRIPTOR],
    why = "the shared loop, which takes over children, lives as long as the VM",
)
class EndOfLoopTest : LoopCase() {
    /** What is prepared for a wait on that loop, and the wait, by the name that it has in the table. */
    private val waits: Map<String, suspend (EventLoop) -> Wait> =
        mapOf(
            "readSome" to { loop -> pair(loop).first.let { { it.readSome(room()) } } },
            "writeAll" to { loop -> pair(loop).first.let { { it.writeAll(ByteBuffer.allocate(8 shl 20)) } } },
            "pollReadable" to { loop -> pair(loop).first.let { { it.pollReadable() } } },
            "accept" to { loop -> server(loop).let { { it.accept() } } },
            "connections" to { loop -> server(loop).let { { it.connections().collect { } } } },
            "receive" to { loop -> closeLater(DatagramSocket.bind(loop, local())).let { { it.receive(room()) } } },
            "receiveDescriptors" to { loop -> pair(loop).first.let { { it.receiveDescriptors(room(), 1) } } },
            "awaitReadable" to { loop -> closeLater(Inotify.open()).let { { loop.awaitReadable(it.number()) } } },
            "sleep" to { loop -> { loop.sleep(1.hours) } },
            "awaitSignal" to { loop -> service(loop).let { { it.awaitSignal(Signal.SIGURG) } } },
            "awaitAnySignal" to { loop -> service(loop).let { { it.awaitAnySignal(Signal.SIGURG) } } },
            "awaitSignalOrNull" to { loop -> service(loop).let { { it.awaitSignalOrNull(Signal.SIGURG, 1.hours) } } },
            "signals" to { loop -> service(loop).let { { it.signals(Signal.SIGURG).collect { } } } },
            "broadcastSignals" to { loop -> service(loop).let { { it.broadcastSignals(Signal.SIGURG).collect { } } } },
            "awaitEvent" to { loop -> bell(loop).let { { it.awaitEvent() } } },
            "awaitData" to { loop -> closeLater(TwoEnds(loop)).async.let { { it.awaitData() } } },
            "frames" to { loop -> closeLater(TwoEnds(loop)).async.let { { it.frames().collect { } } } },
            "awaitEnd" to { loop -> closeLater(ProcessWatch.of(loop, own())).let { { it.awaitEnd() } } },
            "LoopChannel.receive" to { loop -> { LoopChannel<Int>(loop).receive() } },
            "LoopChannel.send" to { loop -> { LoopChannel<Int>(loop).send(1) } },
            "LoopMutex.lock" to { loop -> { LoopMutex(loop).apply { lock() }.lock() } },
            "delay" to { { delay(1.hours) } },
            "withTimeout" to { { withTimeout(1.hours) { awaitCancellation() } } },
            "awaitExit" to { loop -> child(loop).let { { it.awaitExit() } } },
            "awaitExitOrEnd" to { loop -> child(loop).let { { it.awaitExitOrEnd() } } },
        )

    private fun own() = ProcessHandle.current().pid()

    private fun room() = ByteBuffer.allocate(1)

    private fun service(on: EventLoop) = closeLater(SignalService.attach(on, SignalSet.of(Signal.SIGURG)))

    private fun bell(on: EventLoop) = closeLater(closeLater(Doorbell.pair()).guest().onLoop(on))

    private suspend fun child(on: EventLoop): Child {
        val child = Spawn.command("sleep", "100").start(on)
        closeLater(AutoCloseable { child.use { it.kill() } })
        return child
    }

    /** The cells for a coroutine on the dispatcher of the loop that ends, and for one on another. */
    private class Row(
        val waits: List<String>,
        val ofTheLoop: String,
        val elsewhere: String,
    )

    private fun table(): List<Row> =
        Files
            .readAllLines(Path.of(System.getProperty("carillon.root"), "docs/coroutines.md"))
            .dropWhile { it != "## When the loop ends" }
            .drop(1)
            .takeWhile { !it.startsWith("## ") }
            .filter { it.startsWith("| `") }
            .map { line -> line.trim('|', ' ').split(" | ") }
            .map { (waits, own, elsewhere) -> Row(waits.split(", ").map { it.trim('`') }, own, elsewhere) }

    @Test
    fun theTableNamesEveryWait() = assertEquals(waits.keys.toList(), table().flatMap { it.waits })

    @Test
    fun aCoroutineOfTheLoopGetsWhatTheTableSays() {
        walk({ it.ofTheLoop }) { loop -> listOf(loop.dispatcher, loop.dispatcher.immediate) }
    }

    @Test
    fun aCoroutineOfAnotherDispatcherGetsWhatTheTableSays() {
        val other = started("other")
        walk({ it.elsewhere }) { listOf(Dispatchers.Default, other.dispatcher, Dispatchers.Unconfined) }
    }

    private fun walk(
        column: (Row) -> String,
        dispatchers: (EventLoop) -> List<CoroutineDispatcher>,
    ) = within(LIMIT * 4) {
        val expected = table().flatMap { row -> row.waits.map { it to column(row) } }
        for (end in End.entries) {
            for (index in dispatchers(loop).indices) {
                val got =
                    expected.map { (name, cell) ->
                        val own = quiet("$name-$end")
                        name to outcome(own, dispatchers(own)[index], end, cell, waits.getValue(name)(own))
                    }
                assertEquals(
                    expected.joinToString("\n"),
                    got.joinToString("\n"),
                ) { "$end, ${dispatchers(loop)[index]}" }
            }
        }
    }

    private fun quiet(name: String): EventLoop {
        val options = EventLoopOptions.builder().name(name).errorHandler { _, _ -> }
        return closeLater(EventLoop.open(options.build()).start())
    }

    private enum class End(
        val bring: (EventLoop) -> Unit,
    ) {
        CLOSED({ it.close() }),
        CLOSED_BY_ITSELF({ it.execute(it::close) }),
        STOPPED({ it.requestStop() }),
        FAILED({ it.execute { throw InternalError("planted") } }),
    }

    /** Begins a wait, ends the loop, and says in the words of the table what became of the coroutine. */
    private suspend fun outcome(
        own: EventLoop,
        dispatcher: CoroutineDispatcher,
        end: End,
        expected: String,
        wait: Wait,
    ): String {
        val got = CompletableFuture<String>()
        val isOwn = (dispatcher as? LoopDispatcher)?.loop === own
        val begin = if (isOwn) CoroutineStart.DEFAULT else CoroutineStart.UNDISPATCHED
        val waiting =
            CoroutineScope(dispatcher + CoroutineExceptionHandler { _, _ -> }).launch(start = begin) {
                try {
                    wait()
                    got.complete("returns")
                } catch (thrown: Exception) {
                    // A timeout is a scope, which is cancelled by itself.
                    got.complete(inWords(thrown, isActive && "withTimeout" !in own.name(), isOwn))
                    throw thrown
                }
            }
        // Twice, so that what it posted is done.
        repeat(2) { withContext(own.dispatcher) { } }
        end.bring(own)
        assertTrue(own.awaitTermination(Duration.ofSeconds(20)))
        if (expected.startsWith("goes on") && waiting.isActive) {
            waiting.cancelAndJoin()
            return expected
        }
        withTimeoutOrNull(LIMIT / 2) { waiting.join() } ?: return "waits for ever".also { waiting.cancel(null) }
        assertTrue(waiting.isCancelled)
        return got.join()
    }

    private fun inWords(
        thrown: Exception,
        isActive: Boolean,
        isOwn: Boolean,
    ): String {
        val place = Thread.currentThread().name
        val isMoved = place.startsWith("DefaultDispatcher-worker")
        val isCancelled = thrown is CancellationException && thrown.cause is ClosedException && !isActive
        return when {
            isOwn && isCancelled && isMoved -> "is cancelled"
            !isOwn && thrown is ClosedException && isActive -> "`ClosedException`"
            !isOwn && thrown is IllegalStateException && thrown !is CancellationException -> "is refused"
            else -> "$thrown because of ${thrown.cause}, active=$isActive, on $place"
        }
    }

    /** Whoever waits for a moment is told of the end in another way than who waits for long. */
    @Test
    fun aWaitForAnotherCoroutineEndsWithTheLoopHoweverManyTurnsItWas() =
        within(LIMIT * 4) {
            for (turns in 0..300) {
                val own = quiet("turns-$turns")
                val channel = LoopChannel<Int>(own)
                val waiting = CoroutineScope(own.dispatcher).launch { channel.receive() }
                withContext(own.dispatcher) {
                    repeat(turns) { yieldOnLoop() }
                    own.requestStop()
                }
                assertNotNull(withTimeoutOrNull(LIMIT / 2) { waiting.join() }) { "it still waits after $turns turns" }
                assertTrue(waiting.isCancelled)
            }
        }

    @Test
    fun whoeverHasNoJobGetsTheClosedException() {
        val got = CompletableFuture<Throwable?>()
        val sleeping: suspend () -> Unit = { loop.sleep(1.hours) }
        sleeping.startCoroutine(Continuation(loop.dispatcher) { got.complete(it.exceptionOrNull()) })
        within { withContext(loop.dispatcher) { } }
        loop.close()
        val failure = Nudges().use { got.join() }
        assertTrue(failure is ClosedException) { "$failure" }
    }
}
