package dev.carillon.coroutines

import dev.carillon.io.ServerSocket
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import java.net.InetAddress
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets
import java.util.Queue
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.coroutines.Continuation
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/** What tests of coroutines on a loop share: loops that are closed afterwards, and a limit for everything. */
abstract class LoopCase {
    private val opened = ArrayDeque<AutoCloseable>()

    /** What callbacks of the loops have thrown; none is expected. */
    val errors: Queue<Throwable> = ConcurrentLinkedQueue()

    val loop: EventLoop by lazy { started("test-loop") }

    fun started(name: String): EventLoop = opened(name).start()

    fun opened(name: String): EventLoop {
        val options = EventLoopOptions.builder().name(name).errorHandler { _, error -> errors.add(error) }
        return closeLater(EventLoop.open(options.build()))
    }

    fun <T : AutoCloseable> closeLater(closeable: T): T = closeable.also(opened::addLast)

    fun pair(on: EventLoop = loop): Pair<StreamSocket, StreamSocket> {
        val ends = StreamSocket.pair(on)
        return closeLater(ends[0]) to closeLater(ends[1])
    }

    fun server(on: EventLoop = loop): ServerSocket = closeLater(ServerSocket.bind(on, local()))

    @AfterEach
    fun closeWhatWasOpened() {
        while (opened.isNotEmpty()) {
            opened.removeLast().close()
        }
        assertEquals(emptyList<Throwable>(), errors.toList())
    }

    /** Runs a test in a coroutine on the loop. */
    fun onLoop(
        limit: Duration = LIMIT,
        test: suspend CoroutineScope.() -> Unit,
    ): Unit = within(limit) { withContext(loop.dispatcher, test) }

    /** Runs a test in a coroutine of this thread. */
    fun within(
        limit: Duration = LIMIT,
        test: suspend CoroutineScope.() -> Unit,
    ): Unit = Nudges().use { withoutNudges(limit, test) }

    /** As [within], but nothing beside the test makes a thread. For tests that do without Dispatchers.Default. */
    fun withoutNudges(
        limit: Duration = LIMIT,
        test: suspend CoroutineScope.() -> Unit,
    ) {
        val block: suspend CoroutineScope.() -> Unit = { withTimeout(limit, test) }
        @Suppress("UNCHECKED_CAST", "REDUNDANT_PROJECTION")
        Blocking.run(block as (CoroutineScope, Continuation<in Unit>) -> Any)
    }

    companion object {
        val LIMIT = 60.seconds

        val isStress: Boolean = System.getProperty("carillon.stress").toBoolean()

        fun local(): InetSocketAddress = InetSocketAddress(InetAddress.getByAddress(byteArrayOf(127, 0, 0, 1)), 0)

        fun bytes(text: String): ByteBuffer = ByteBuffer.wrap(text.toByteArray())

        fun text(buffer: ByteBuffer): String = StandardCharsets.UTF_8.decode(buffer.duplicate().flip()).toString()
    }
}
