package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.io.LinuxSocketOptions
import dev.carillon.io.SocketOptions
import dev.carillon.io.StreamSocket
import dev.carillon.test.Deadline
import dev.carillon.test.proc.Descriptors
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.net.StandardSocketOptions
import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.RejectedExecutionException

/** Connections with options, and connections that move to another loop. */
class SocketMoveTest : LoopCase() {
    // r[verify kt.io] r[verify io.options]
    @Test
    fun aConnectionHasTheOptionsOfItsConnect() =
        onLoop {
            val server = server()
            val options =
                SocketOptions
                    .of(StandardSocketOptions.TCP_NODELAY, true)
                    .and(LinuxSocketOptions.TCP_USER_TIMEOUT, Duration.ofSeconds(9))
            val client = closeLater(loop.connect(server.localAddress(), options))
            assertTrue(client.option(StandardSocketOptions.TCP_NODELAY))
            assertEquals(Duration.ofSeconds(9), client.option(LinuxSocketOptions.TCP_USER_TIMEOUT))
            val wrong = SocketOptions.of(StandardSocketOptions.SO_BROADCAST, true)
            assertInstanceOf(
                IllegalArgumentException::class.java,
                failureOf { loop.connect(server.localAddress(), wrong) },
            )
        }

    // r[verify kt.move]
    @Test
    fun aConnectionMovesAndItsBytesGoWithIt() =
        onLoop {
            val other = started("other")
            val (left, right) = pair()
            left.writeAll(bytes("hello"))
            val moved = closeLater(right.moveTo(other))
            assertTrue(loop.inLoop(), "the coroutine stays where it is")
            assertSame(other, moved.eventLoop())
            assertFalse(right.isOpen)
            val buffer = ByteBuffer.allocate(8)
            assertEquals(5, moved.readSome(buffer))
            assertEquals("hello", text(buffer))
            assertInstanceOf(ClosedException::class.java, failureOf { right.moveTo(other) })
        }

    // r[verify kt.move]
    @Test
    fun aLoopThatIsClosedRefusesAndACancelledCoroutineMovesNothing() =
        onLoop {
            val closed = started("closed").also { it.close() }
            val other = started("other")
            val (left, right) = pair()
            assertInstanceOf(RejectedExecutionException::class.java, failureOf { right.moveTo(closed) })
            launch(start = CoroutineStart.UNDISPATCHED) {
                currentCoroutineContext()[Job]?.cancel(null)
                assertInstanceOf(CancellationException::class.java, failureOf { right.moveTo(other) })
            }.join()
            left.writeAll(bytes("x"))
            assertEquals(1, right.readSome(ByteBuffer.allocate(1)))
        }

    // r[verify kt.move]
    @Test
    fun aMoveThatIsCancelledLosesNoDescriptor() =
        within {
            val other = started("other")
            loop.execute { }
            val before = Descriptors.ofProgram()
            var came = 0
            repeat(if (isStress) 10_000 else 300) {
                val ends = StreamSocket.pair(loop)
                val moving = async(Dispatchers.Default) { ends[1].moveTo(other) }
                repeat(it % 20) { Thread.onSpinWait() }
                moving.cancel()
                val moved = runCatching { moving.await() }.getOrNull()
                if (moved != null) {
                    came++
                    moved.close()
                }
                // One that was cancelled before it began has moved nothing.
                ends[1].close()
                assertEquals(-1, ends[0].readSome(ByteBuffer.allocate(1)))
                ends[0].close()
            }
            println("moved $came")
            Deadline.after(Duration.ofSeconds(20)).await("no descriptor is left") {
                Descriptors.openedSince(before).isEmpty()
            }
        }

    private suspend fun failureOf(action: suspend () -> Any?): Throwable =
        try {
            throw AssertionError("it did not fail but gave ${action()}")
        } catch (failure: Exception) {
            failure
        }
}
