package dev.carillon.coroutines

import dev.carillon.AbstractSocketAddress
import dev.carillon.io.ServerSocket
import dev.carillon.test.Deadline
import dev.carillon.test.proc.Descriptors
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

// r[verify kt.io]

/** The narrowest place: the loop has completed an operation, and its coroutine is cancelled before it has its turn. */
class CancelledTurnTest : LoopCase() {
    private suspend fun cancelBeforeTheTurn(action: suspend () -> Unit) {
        val dispatcher = HeldBack()
        val job = CoroutineScope(dispatcher).launch { action() }
        // The loop is kept from completing it before the coroutine has suspended.
        val suspended = CountDownLatch(1)
        loop.execute { suspended.await(LIMIT.inWholeSeconds, TimeUnit.SECONDS) }
        dispatcher.next().run()
        suspended.countDown()
        val turn = dispatcher.next()
        job.cancel(null)
        turn.run()
        job.join()
        assertTrue(job.isCancelled)
    }

    @Test
    fun whatWasReadIsInTheBuffer() =
        within {
            val (left, right) = pair()
            val buffer = ByteBuffer.allocate(8)
            left.writeAll(bytes("data"))
            cancelBeforeTheTurn { right.readSome(buffer) }
            assertEquals("data", text(buffer))
        }

    @Test
    fun aCancelledReadWaitsUntilTheLoopHasLetGoOfItsBuffer() =
        within {
            val (left, right) = pair()
            val buffer = ByteBuffer.allocate(8)
            val dispatcher = HeldBack()
            val job = CoroutineScope(dispatcher).launch { right.readSome(buffer) }
            dispatcher.next().run()
            val release = CountDownLatch(1)
            loop.execute { release.await(LIMIT.inWholeSeconds, TimeUnit.SECONDS) }
            job.cancel(null)
            assertTrue(dispatcher.isEmpty, "it goes on although the loop cannot know of the cancellation")
            release.countDown()
            dispatcher.next().run()
            job.join()
            left.writeAll(bytes("data"))
            assertEquals(0, buffer.position())
            assertEquals(4, right.readSome(buffer))
        }

    @Test
    fun whatWasWrittenShowsInTheBuffer() =
        within {
            val (left, right) = pair()
            val buffer = bytes("data")
            cancelBeforeTheTurn { left.writeAll(buffer) }
            assertEquals(4, buffer.position())
            assertEquals(4, right.readSome(ByteBuffer.allocate(8)))
        }

    @Test
    fun aConnectionGoesToTheNextAccept() =
        within {
            val server = server()
            val client = closeLater(loop.connect(server.localAddress()))
            client.writeAll(bytes("mine"))
            cancelBeforeTheTurn { server.accept() }
            val buffer = ByteBuffer.allocate(8)
            server.accept().use { it.readSome(buffer) }
            assertEquals("mine", text(buffer))
        }

    @Test
    fun aConnectedSocketIsClosed() =
        within {
            val address = AbstractSocketAddress.of("carillon-turn-${ProcessHandle.current().pid()}")
            val server = closeLater(ServerSocket.bind(loop, address))
            cancelBeforeTheTurn { loop.connect(address) }
            server.accept().use { assertEquals(-1, it.readSome(ByteBuffer.allocate(1))) }
        }

    @Test
    fun aFileIsClosed(
        @TempDir folder: Path,
    ) = within {
        val file = Files.writeString(folder.resolve("file"), "text")
        leavesNoDescriptor { cancelBeforeTheTurn { loop.openFile(file) } }
    }

    @Test
    fun receivedDescriptorsAreClosed() =
        within {
            val (left, right) = pair()
            val buffer = ByteBuffer.allocate(2)
            leavesNoDescriptor {
                buffer.clear()
                left.sendDescriptors(bytes("ok"), 0, 1)
                cancelBeforeTheTurn { right.receiveDescriptors(buffer, 2) }
            }
            assertEquals("ok", text(buffer))
        }

    private suspend fun leavesNoDescriptor(action: suspend () -> Unit) {
        action()
        val before = Descriptors.count()
        repeat(5) { action() }
        Deadline.after(Duration.ofSeconds(20)).await("no more descriptors than before") {
            Descriptors.count() <=
                before
        }
    }
}
