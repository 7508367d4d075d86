package dev.carillon.samples

import dev.carillon.coroutines.dispatcher
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import dev.carillon.test.Seeded
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.io.Buffer
import kotlinx.io.readByteArray
import kotlinx.io.readLine
import kotlinx.io.readString
import kotlinx.io.writeString
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.seconds

/** Frames with a length before them, sent and parsed by kotlinx-io. */
class BufferedStreamTest {
    private val patience = 100.seconds

    @Test
    fun `frames of all sizes come whole, however they are cut`(
        @Seeded random: SplittableRandom,
    ) = onPair { loop, one, other ->
        val frames = List(200) { ByteArray(random.nextInt(5_000)).also(random::nextBytes) }
        launch(loop.dispatcher) {
            val sending = BufferedStream(one, chunkBytes = 1 + random.nextInt(3_000))
            for (frame in frames) {
                sending.send(Buffer().apply { writeInt(frame.size) }.apply { write(frame) })
            }
            one.close()
        }
        withContext(loop.dispatcher) {
            val receiving = BufferedStream(other, chunkBytes = 1 + random.nextInt(3_000))
            for (frame in frames) {
                check(receiving.request(Int.SIZE_BYTES.toLong()))
                val size = receiving.received.readInt()
                check(receiving.request(size.toLong()))
                assertArrayEquals(frame, receiving.received.readByteArray(size))
            }
            assertFalse(receiving.request(1))
        }
    }

    @Test
    fun `what is left of a stream that ends can be read`() =
        onPair { loop, one, other ->
            withContext(loop.dispatcher) {
                BufferedStream(one).send(Buffer().apply { writeString("half a frame") })
                one.close()
                val receiving = BufferedStream(other)
                assertFalse(receiving.request(1_000))
                assertEquals("half a frame", receiving.received.readString())
            }
        }

    @Test
    fun `code that blocks has sources and sinks`() =
        onPair { _, one, other ->
            launch(Dispatchers.IO) {
                one.asBlockingSink().use { sink -> repeat(3) { sink.writeString("line $it\n") } }
            }
            withContext(Dispatchers.IO) {
                other.asBlockingSource().use { source ->
                    repeat(3) { assertEquals("line $it", source.readLine()) }
                    assertNull(source.readLine())
                }
            }
        }

    private fun onPair(
        block: suspend kotlinx.coroutines.CoroutineScope.(EventLoop, StreamSocket, StreamSocket) -> Unit,
    ) = EventLoop.open().start().use { loop ->
        val (one, other) = StreamSocket.pair(loop)
        runBlocking { withTimeout(patience) { coroutineScope { block(loop, one, other) } } }
        one.close()
        other.close()
    }
}
