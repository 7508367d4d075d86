package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.SyscallException
import dev.carillon.io.DatagramSocket
import dev.carillon.io.ServerSocket
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.net.ConnectException
import java.net.UnixDomainSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import kotlin.time.Duration.Companion.milliseconds

/** Operations that suspend, on every handle. */
class OperationsTest : LoopCase() {
    // r[verify kt.io]
    @Test
    fun bytesGoThereAndBackOverTcp() =
        onLoop {
            val server = server()
            val accepting = async { server.accept() }
            val client = closeLater(loop.connect(server.localAddress()))
            val peer = closeLater(accepting.await())
            assertEquals(5, client.writeSome(bytes("hello")))
            val buffer = ByteBuffer.allocateDirect(16)
            assertEquals(5, peer.readSome(buffer))
            assertEquals("hello", text(buffer))
            assertEquals(10L, peer.writeAll(bytes("01234"), bytes("56789")))
            val parts = arrayOf(ByteBuffer.allocate(3), ByteBuffer.allocate(16))
            assertEquals(10, client.readSome(*parts))
            assertEquals(listOf("012", "3456789"), parts.map(::text))
            client.shutdownOutput()
            assertEquals(-1, peer.readSome(ByteBuffer.allocate(1)))
        }

    @Test
    fun writeAllGoesOnUntilEverythingIsTaken() =
        onLoop {
            val (left, right) = pair()
            val size = 8 shl 20
            val writing = async { left.writeAll(ByteBuffer.allocateDirect(size)) }
            val buffer = ByteBuffer.allocateDirect(1 shl 16)
            var read = 0
            while (read < size) read += right.readSome(buffer.clear())
            assertEquals(size.toLong(), writing.await())
        }

    @Test
    fun operationsServeCoroutinesOfAnyDispatcher() =
        within {
            val (left, right) = pair()
            val caller = Thread.currentThread()
            left.writeAll(bytes("a"))
            assertEquals(1, right.readSome(ByteBuffer.allocate(1)))
            assertEquals(caller, Thread.currentThread())
            val reading =
                async(Dispatchers.Unconfined) {
                    assertEquals(1, right.readSome(ByteBuffer.allocate(1)))
                    loop.inLoop()
                }
            left.writeAll(bytes("b"))
            assertTrue(reading.await(), "an unconfined coroutine goes on where it was completed")
        }

    @Test
    fun aFailureIsThrownWhereTheOperationWasStarted() =
        onLoop {
            val (left, right) = pair()
            right.closeAsync().get()
            assertInstanceOf(SyscallException::class.java, failureOf { left.writeAll(bytes("x")) })
            // Bound, so that nobody else comes to listen there.
            SocketChannel.open().bind(local()).use {
                assertInstanceOf(ConnectException::class.java, failureOf { loop.connect(it.localAddress) })
            }
            val failure = failureOf { left.readSome(ByteBuffer.allocate(0)) }
            assertInstanceOf(IllegalArgumentException::class.java, failure)
        }

    @Test
    fun closingTheHandleEndsWhatWaits() =
        onLoop {
            val (left, _) = pair()
            val server = server()
            val reading = async { failureOf { left.readSome(ByteBuffer.allocate(1)) } }
            val accepting = async { failureOf { server.accept() } }
            loop.sleep(1.milliseconds)
            left.close()
            server.close()
            assertInstanceOf(ClosedException::class.java, reading.await())
            assertInstanceOf(ClosedException::class.java, accepting.await())
        }

    @Test
    fun aCancelledCoroutineStartsNothing() =
        onLoop {
            val (left, right) = pair()
            left.writeAll(bytes("x"))
            launch(start = CoroutineStart.UNDISPATCHED) {
                currentCoroutineContext()[Job]?.cancel(null)
                assertInstanceOf(
                    CancellationException::class.java,
                    failureOf { right.readSome(ByteBuffer.allocate(1)) },
                )
            }.join()
            assertEquals(1, right.readSome(ByteBuffer.allocate(1)))
        }

    @Test
    fun aCancelledReadLeavesTheBufferAlone() =
        onLoop {
            val (left, right) = pair()
            val buffer = ByteBuffer.allocate(4)
            assertNull(withTimeoutOrNull(1) { right.readSome(buffer) })
            left.writeAll(bytes("data"))
            loop.sleep(1.milliseconds)
            assertEquals(0, buffer.position())
            assertEquals(4, right.readSome(buffer))
        }

    @Test
    fun connectionsFlowUntilTheServerIsClosed() =
        onLoop {
            val server = server()
            val collecting =
                async {
                    var seen = 0
                    server.connections().collect {
                        it.close()
                        seen++
                    }
                    seen
                }
            repeat(5) { loop.connect(server.localAddress()).close() }
            while (loop.stats().operations()["ACCEPT"] != 5L) yieldOnLoop()
            server.close()
            assertEquals(5, collecting.await())
        }

    @Test
    fun aCollectorThatHasEnoughLeavesTheRestToOthers() =
        onLoop {
            val server = server()
            val clients = List(3) { closeLater(loop.connect(server.localAddress())) }
            server.connections().take(1).collect(::closeLater)
            repeat(2) { closeLater(server.accept()) }
            assertEquals(3, clients.size)
        }

    @Test
    fun datagramsKeepTheirBordersAndTheirSender() =
        onLoop {
            val here = closeLater(DatagramSocket.bind(loop, local()))
            val there = closeLater(DatagramSocket.bind(loop, local()))
            val receiving = async { ByteBuffer.allocate(16).let { it to there.receive(it) } }
            assertEquals(4, here.send(bytes("ping"), there.localAddress()))
            val (buffer, datagram) = receiving.await()
            assertEquals("ping", text(buffer))
            assertEquals(here.localAddress(), datagram.sender())
            val connected = closeLater(DatagramSocket.connect(loop, there.localAddress()!!))
            connected.send(bytes("pong"))
            assertEquals(4, there.receive(ByteBuffer.allocate(16)).length())
        }

    @Test
    fun aDescriptorCanBePassed() =
        onLoop {
            val (left, right) = pair()
            assertEquals(2, left.sendDescriptors(bytes("ok"), 1))
            val received = right.receiveDescriptors(ByteBuffer.allocate(2), 1)
            assertEquals(2, received.bytes())
            received.descriptors().single().close()
        }

    @Test
    fun filesAreReadAndWrittenAtTheirPositionAndAtAnyOther(
        @TempDir folder: Path,
    ) = onLoop {
        val file = closeLater(loop.openFile(folder.resolve("file"), CREATE, READ, WRITE))
        assertEquals(5L, file.writeAll(bytes("01234")))
        assertEquals(2, file.writeAt(bytes("xy"), 1))
        val buffer = ByteBuffer.allocate(8)
        assertEquals(4, file.readAt(buffer, 1))
        assertEquals("xy34", text(buffer))
        assertEquals(-1, file.readSome(ByteBuffer.allocate(1)))
        assertInstanceOf(NoSuchFileException::class.java, failureOf { loop.openFile(folder.resolve("no")) })
    }

    // r[verify kt.io]
    @Test
    fun allOfALargeBufferIsWrittenAndReadAtAPosition(
        @TempDir folder: Path,
    ) = onLoop {
        val file = closeLater(loop.openFile(folder.resolve("file"), CREATE, READ, WRITE))
        val size = 3 * (1 shl 20) + 1
        val out = ByteBuffer.allocateDirect(size).put(size - 1, 7)
        assertEquals(size, file.writeAllAt(out, 5))
        val buffer = ByteBuffer.allocateDirect(size)
        assertEquals(size, file.readAllAt(buffer, 5))
        assertEquals(out.flip(), buffer.flip())
        assertEquals(10, file.readAllAt(buffer.clear(), 5L + size - 10))
        assertEquals(-1, file.readAllAt(buffer.clear(), 5L + size))
    }

    // r[verify kt.readable]
    @Test
    fun anyDescriptorCanBeWaitedFor() =
        onLoop {
            val (left, right) = pair()
            right.pollWritable()
            val polling = async { right.pollReadable() }
            yieldOnLoop()
            assertFalse(polling.isCompleted)
            left.writeAll(bytes("x"))
            polling.await()
            withContext(Dispatchers.Default) { loop.awaitWritable(1) }
        }

    @Test
    fun aConnectThatIsCancelledLeavesNoSocketBehind(
        @TempDir folder: Path,
    ) = onLoop {
        val address = UnixDomainSocketAddress.of(folder.resolve("socket"))
        closeLater(ServerSocket.bind(loop, address, 0))
        var attempts = 0
        do {
            val socket = withTimeoutOrNull(50) { loop.connect(address) }?.let(::closeLater)
            attempts++
        } while (socket != null)
        assertTrue(attempts in 2..4) { "attempts=$attempts" }
    }

    private suspend fun failureOf(action: suspend () -> Any?): Throwable =
        try {
            throw AssertionError("it did not fail but gave ${action()}")
        } catch (failure: Exception) {
            failure
        }
}
