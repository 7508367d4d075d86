package dev.carillon.benchmarks.echo

import dev.carillon.benchmarks.loops.TaskLoop
import dev.carillon.benchmarks.worker.Stage
import dev.carillon.coroutines.accept
import dev.carillon.coroutines.dispatcher
import dev.carillon.coroutines.readSome
import dev.carillon.coroutines.writeAll
import dev.carillon.io.ServerSocket
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.nio.ByteBuffer

/** Ours, as a service is written: a coroutine for each connection, on the loop's dispatcher. */
internal class LoopCoroutineEcho(
    stage: Stage,
) : EchoServer {
    private val loop = EventLoop.open().start()
    private val server: ServerSocket
    private val job: Job = SupervisorJob()

    init {
        TaskLoop.runOn(loop, stage::pinFirst)
        server = ServerSocket.bind(loop, InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        val scope = CoroutineScope(job + loop.dispatcher)
        scope.launch {
            while (true) {
                val socket = server.accept()
                scope.launch { serve(socket) }
            }
        }
    }

    private suspend fun serve(socket: StreamSocket): Unit =
        socket.use {
            socket.noDelay(true)
            val buffer = ByteBuffer.allocateDirect(EchoServer.BUFFER)
            try {
                while (socket.readSome(buffer) >= 0) {
                    socket.writeAll(buffer.flip())
                    buffer.clear()
                }
            } catch (_: IOException) {
                // The load resets its connections when it ends.
            }
        }

    override fun address(): String = "tcp:" + (server.localAddress() as InetSocketAddress).port

    override fun close() {
        runBlocking { job.cancelAndJoin() }
        server.close()
        loop.close()
    }
}
