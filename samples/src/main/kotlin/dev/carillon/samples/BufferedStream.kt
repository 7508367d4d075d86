package dev.carillon.samples

import dev.carillon.coroutines.readSome
import dev.carillon.coroutines.writeAll
import dev.carillon.io.StreamHandle
import kotlinx.io.Buffer
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.io.readAtMostTo
import kotlinx.io.transferFrom
import java.nio.ByteBuffer
import java.nio.channels.Channels

// region kotlinx-io

/** A stream of a loop with the buffers of kotlinx-io, which protocols are parsed with. One coroutine at a time. */
class BufferedStream(
    private val stream: StreamHandle,
    chunkBytes: Int = 16 * 1024,
) {
    private val incoming = ByteBuffer.allocateDirect(chunkBytes)
    private val outgoing = ByteBuffer.allocateDirect(chunkBytes)

    /** What has come, and was not read yet. */
    val received = Buffer()

    /** Waits until so much has come; false if the stream ends before. */
    suspend fun request(bytes: Long): Boolean {
        while (received.size < bytes) {
            if (stream.readSome(incoming.clear()) < 0) return false
            received.transferFrom(incoming.flip())
        }
        return true
    }

    /** Sends all that a buffer holds. */
    suspend fun send(bytes: Buffer) {
        while (bytes.readAtMostTo(outgoing.clear()) > 0) {
            stream.writeAll(outgoing.flip())
        }
    }
}

/** For code that blocks, on other threads than the loop's. */
fun StreamHandle.asBlockingSource() = Channels.newInputStream(SocketChannels.blocking(this)).asSource().buffered()

/** For code that blocks, on other threads than the loop's. */
fun StreamHandle.asBlockingSink() = Channels.newOutputStream(SocketChannels.blocking(this)).asSink().buffered()
// endregion
