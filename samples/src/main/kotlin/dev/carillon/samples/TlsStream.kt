package dev.carillon.samples

import dev.carillon.coroutines.readSome
import dev.carillon.coroutines.writeAll
import dev.carillon.io.StreamSocket
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import java.nio.ByteBuffer
import javax.net.ssl.SSLEngine
import javax.net.ssl.SSLEngineResult.HandshakeStatus
import javax.net.ssl.SSLEngineResult.Status
import javax.net.ssl.SSLException

/**
 * TLS over a stream, by the engine of the JDK, for either side. A protocol on top of a socket needs no more of the loop than
 * [readSome] and [writeAll]; arithmetic that takes long is done on other threads.
 *
 * One coroutine at a time reads, and one at a time writes; both on the dispatcher of the socket's loop.
 */
class TlsStream(
    private val socket: StreamSocket,
    private val engine: SSLEngine,
) : AutoCloseable {
    /** What has come, still encrypted; filled up to its position. */
    private val incoming = ByteBuffer.allocateDirect(engine.session.packetBufferSize)

    /** What was decrypted and not read yet, from its position on. */
    private var decrypted = room().flip()
    private val outgoing = ByteBuffer.allocateDirect(engine.session.packetBufferSize)

    /** The protocol that both sides have agreed on (ALPN); empty where they have not. */
    val protocol: String get() = engine.applicationProtocol.orEmpty()

    val version: String get() = engine.session.protocol

    private fun room() = ByteBuffer.allocate(engine.session.applicationBufferSize)

    suspend fun handshake() {
        engine.beginHandshake()
        while (true) {
            when (engine.handshakeStatus) {
                HandshakeStatus.NEED_WRAP -> wrap(NOTHING)
                HandshakeStatus.NEED_TASK -> tasks()
                HandshakeStatus.NOT_HANDSHAKING, HandshakeStatus.FINISHED, null -> return
                else -> if (!unwrap()) throw SSLException("the other side has hung up in the midst of the handshake")
            }
        }
    }

    /** Reads what is there, a byte at least; -1 at the end. */
    suspend fun readSome(into: ByteBuffer): Int {
        while (!decrypted.hasRemaining()) {
            if (!unwrap()) return -1
            proceed()
        }
        val count = minOf(into.remaining(), decrypted.remaining())
        into.put(decrypted.slice(decrypted.position(), count))
        decrypted.position(decrypted.position() + count)
        return count
    }

    suspend fun writeAll(from: ByteBuffer) {
        while (from.hasRemaining()) {
            wrap(from)
            proceed()
        }
    }

    /** Tells the other side that nothing more comes, so that it knows that nothing was cut off. */
    suspend fun end() {
        engine.closeOutbound()
        while (!engine.isOutboundDone) wrap(NOTHING)
        socket.shutdownOutput()
    }

    override fun close() = socket.close()

    /** What the engine wants between two records, such as new keys. */
    private suspend fun proceed() {
        while (true) {
            when (engine.handshakeStatus) {
                HandshakeStatus.NEED_WRAP -> wrap(NOTHING)
                HandshakeStatus.NEED_TASK -> tasks()
                else -> return
            }
        }
    }

    private suspend fun tasks() =
        withContext(Dispatchers.Default) { generateSequence { engine.delegatedTask }.forEach { it.run() } }

    /** One record from the other side; false at the end. */
    private suspend fun unwrap(): Boolean {
        while (true) {
            decrypted.clear()
            val result = engine.unwrap(incoming.flip(), decrypted)
            incoming.compact()
            decrypted.flip()
            when (result.status) {
                Status.OK -> return true
                Status.CLOSED -> return false
                Status.BUFFER_OVERFLOW -> decrypted = room().flip()
                else -> if (socket.readSome(incoming) < 0) throw cutOff()
            }
        }
    }

    private fun cutOff(): SSLException {
        engine.closeOutbound()
        return SSLException("the other side has hung up without an end of TLS: what it sent may be cut off")
    }

    private suspend fun wrap(from: ByteBuffer) {
        outgoing.clear()
        val result = engine.wrap(from, outgoing)
        if (result.status == Status.CLOSED && outgoing.position() == 0) {
            throw SSLException("the output was ended, nothing more can be written")
        }
        if (outgoing.flip().hasRemaining()) socket.writeAll(outgoing)
    }

    private companion object {
        val NOTHING: ByteBuffer = ByteBuffer.allocate(0)
    }
}
