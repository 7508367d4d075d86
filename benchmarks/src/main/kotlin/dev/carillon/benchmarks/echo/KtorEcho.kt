package dev.carillon.benchmarks.echo

import dev.carillon.benchmarks.worker.Stage
import io.ktor.network.selector.SelectorManager
import io.ktor.network.sockets.InetSocketAddress
import io.ktor.network.sockets.ServerSocket
import io.ktor.network.sockets.Socket
import io.ktor.network.sockets.aSocket
import io.ktor.network.sockets.openReadChannel
import io.ktor.network.sockets.openWriteChannel
import io.ktor.utils.io.readAvailable
import io.ktor.utils.io.writeFully
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import java.io.IOException
import java.util.concurrent.Executors

/** Ktor's raw sockets, its selector and its coroutines on one thread. */
internal class KtorEcho(
    stage: Stage,
) : EchoServer {
    private val thread = Executors.newSingleThreadExecutor { Thread(it, "ktor-echo") }.asCoroutineDispatcher()
    private val selector = SelectorManager(thread)
    private val job: Job = SupervisorJob()
    private val server: ServerSocket =
        runBlocking(thread) {
            stage.pinFirst()
            aSocket(selector).tcp().bind("127.0.0.1", 0) { backlogSize = 4096 }
        }

    init {
        val scope = CoroutineScope(job + thread)
        scope.launch {
            while (true) {
                val socket = server.accept()
                scope.launch { serve(socket) }
            }
        }
    }

    private suspend fun serve(socket: Socket) {
        val input = socket.openReadChannel()
        val output = socket.openWriteChannel()
        val bytes = ByteArray(EchoServer.BUFFER)
        try {
            while (true) {
                val count = input.readAvailable(bytes, 0, bytes.size)
                if (count < 0) break
                output.writeFully(bytes, 0, count)
                output.flush()
            }
        } catch (_: IOException) {
            // The load resets its connections when it ends.
        } finally {
            socket.close()
        }
    }

    override fun address(): String = "tcp:" + (server.localAddress as InetSocketAddress).port

    override fun close() {
        runBlocking {
            job.cancelAndJoin()
            withContext(thread) { server.close() }
        }
        selector.close()
        thread.close()
    }
}
