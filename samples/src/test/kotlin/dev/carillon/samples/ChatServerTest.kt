package dev.carillon.samples

import dev.carillon.SyscallException
import dev.carillon.coroutines.connect
import dev.carillon.coroutines.dispatcher
import dev.carillon.coroutines.readSome
import dev.carillon.coroutines.sleep
import dev.carillon.coroutines.writeAll
import dev.carillon.io.ServerSocket
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import dev.carillon.test.Deadline
import dev.carillon.test.Seeded
import dev.carillon.test.proc.Descriptors
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.SocketAddress
import java.nio.ByteBuffer
import java.time.Duration
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The chat under load, with guests that are cut off at any moment. */
class ChatServerTest {
    private val stress = System.getProperty("carillon.stress").toBoolean()
    private val guests = 1_000
    private val rounds = if (stress) 20 else 3
    private val patience = 100.seconds

    @Test
    fun everybodyElseHearsWhatAGuestSays() =
        served { chat, address, loop ->
            loop.connect(address).use { one ->
                loop.connect(address).use { other ->
                    awaitPresent(chat, 2, loop)
                    one.writeAll(ByteBuffer.wrap("hello".toByteArray()))
                    val heard = ByteBuffer.allocate(5)
                    while (heard.hasRemaining()) other.readSome(heard)
                    assertEquals("hello", String(heard.array()))
                }
            }
        }

    @Test
    fun guestsThatAreCutOffLeaveNoDescriptorAndNoMemoryBehind(
        @Seeded random: SplittableRandom,
    ) = served { chat, address, loop ->
        round(chat, address, loop, random)
        val descriptors = Descriptors.count()
        val memory = memory()
        repeat(rounds) { round(chat, address, loop, random) }
        Deadline.after(Duration.ofSeconds(20)).await("nothing is left open") { Descriptors.count() <= descriptors }
        var grown = memory() - memory
        // What a cleaner has to let go is free after a later collection.
        val limit = Deadline.after(Duration.ofSeconds(20))
        while (grown >= 2_000_000 && !limit.isOver()) grown = memory() - memory
        assertTrue(grown < 2_000_000) { "$grown bytes more after $rounds rounds of $guests guests" }
    }

    /** All come and talk; half of them are cut off, with what others said unread; the rest leave in good order. */
    private suspend fun round(
        chat: ChatServer,
        address: SocketAddress,
        loop: EventLoop,
        random: SplittableRandom,
    ) = withContext(loop.dispatcher) {
        val sockets = List(guests) { loop.connect(address) }
        val mix = java.util.Random(random.nextLong())
        val fates = sockets.shuffled(mix).withIndex().associate { (index, socket) -> socket to (index % 2 == 0) }
        awaitPresent(chat, guests, loop)
        coroutineScope {
            sockets.forEach { socket ->
                val fated = fates.getValue(socket)
                val moment = random.nextInt(20).milliseconds
                launch {
                    if (fated) {
                        launch { talk(socket) }
                        loop.sleep(moment)
                        socket.close()
                    } else {
                        talk(socket)
                        listen(socket)
                    }
                }
            }
        }
        sockets.forEach(StreamSocket::close)
        awaitPresent(chat, 0, loop)
        assertEquals(0, loop.stats().pendingOperations())
    }

    private suspend fun talk(socket: StreamSocket) {
        try {
            socket.writeAll(ByteBuffer.wrap(ByteArray(32)))
        } catch (closed: IllegalStateException) {
            assertTrue(!socket.isOpen, closed.toString())
        }
    }

    private suspend fun listen(socket: StreamSocket) {
        val buffer = ByteBuffer.allocate(1024)
        socket.readSome(buffer)
        socket.shutdownOutput()
        try {
            while (socket.readSome(buffer.clear()) >= 0) {
                assertTrue(buffer.position() > 0)
            }
        } catch (reset: SyscallException) {
            assertTrue(reset.message.orEmpty().contains("ECONNRESET"), reset.toString())
        }
    }

    private suspend fun awaitPresent(
        chat: ChatServer,
        number: Int,
        loop: EventLoop,
    ) = withTimeout(20.seconds) {
        while (withContext(chat.dispatcher) { chat.present } != number) loop.sleep(1.milliseconds)
    }

    private fun served(test: suspend (ChatServer, SocketAddress, EventLoop) -> Unit) {
        EventLoop.open().start().use { loop ->
            EventLoop.open().start().use { clients ->
                ServerSocket.bind(loop, InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).use { server ->
                    runBlocking {
                        val chat = ChatServer(loop)
                        val serving = launch(loop.dispatcher) { chat.serve(server) }
                        withTimeout(patience) { test(chat, server.localAddress(), clients) }
                        serving.cancelAndJoin()
                    }
                }
            }
        }
    }

    private val ChatServer.dispatcher get() = loop.dispatcher

    private suspend fun memory(): Long =
        withContext(Dispatchers.IO) {
            repeat(3) { System.gc() }
            Runtime.getRuntime().run { totalMemory() - freeMemory() }
        }
}
