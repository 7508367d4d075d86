package dev.carillon.samples

import dev.carillon.SyscallException
import dev.carillon.coroutines.LoopChannel
import dev.carillon.coroutines.connections
import dev.carillon.coroutines.dispatcher
import dev.carillon.coroutines.readSome
import dev.carillon.coroutines.writeAll
import dev.carillon.io.ServerSocket
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import dev.carillon.samples.words.Word
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import kotlin.system.exitProcess

/** Everybody hears what the others say; one thread, two coroutines for each guest. Try it with `nc localhost 4000`. */
class ChatServer(
    val loop: EventLoop,
) {
    private val guests = mutableSetOf<Guest>()

    /** How many are there; on the loop. */
    val present: Int get() = guests.size

    suspend fun serve(server: ServerSocket): Unit =
        supervisorScope {
            server.connections().collect { connection ->
                // Undispatched, so that a guest who was let in is always seen off.
                launch(start = CoroutineStart.UNDISPATCHED) { connection.use { welcome(Guest(it)) } }
            }
        }

    private suspend fun welcome(guest: Guest) {
        guests += guest
        try {
            guest.chat()
        } catch (gone: SyscallException) {
            println("a guest was cut off: ${gone.message}")
        } finally {
            guests -= guest
        }
    }

    private inner class Guest(
        private val socket: StreamSocket,
    ) {
        private val news = LoopChannel<ByteBuffer>(loop, capacity = 64)

        /** Until the guest hangs up: the end of reading cancels the writing. */
        suspend fun chat(): Unit =
            coroutineScope {
                val writing = launch { while (true) socket.writeAll(news.receive()) }
                val buffer = ByteBuffer.allocateDirect(4096)
                while (socket.readSome(buffer.clear()) >= 0) {
                    val said = ByteArray(buffer.flip().remaining()).also(buffer::get)
                    // Who does not keep up misses what does not fit.
                    for (other in guests - this@Guest) other.news.trySend(ByteBuffer.wrap(said))
                }
                writing.cancel()
            }
    }
}

fun main(arguments: Array<String>) {
    if (!Word.fit("chat-server [PORT]", arguments, Word.PORT)) exitProcess(2)
    EventLoop.open().start().use { loop ->
        val address = InetSocketAddress("localhost", arguments.firstOrNull()?.toInt() ?: 4000)
        ServerSocket.bind(loop, address).use { server ->
            println("chat on ${server.localAddress()}")
            runBlocking { withContext(loop.dispatcher) { ChatServer(loop).serve(server) } }
        }
    }
}
