package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import java.net.InetAddress
import java.net.InetSocketAddress
import java.nio.ByteBuffer

/** A request to a server of this machine, with our own sockets; what came back, header included. */
suspend fun EventLoop.httpGet(
    port: Int,
    path: String,
): String =
    connect(InetSocketAddress(InetAddress.getByAddress(byteArrayOf(127, 0, 0, 1)), port)).use { socket ->
        socket.writeAll(LoopCase.bytes("GET $path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        val answer = StringBuilder()
        val buffer = ByteBuffer.allocate(4096)
        while (socket.readSome(buffer.clear()) >= 0) answer.append(LoopCase.text(buffer))
        answer.toString()
    }
