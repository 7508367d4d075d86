@file:JvmName("LoopSockets")

package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.coroutines.OperationResult.Companion.COUNT
import dev.carillon.io.Datagram
import dev.carillon.io.DatagramSocket
import dev.carillon.io.ReceivedDescriptors
import dev.carillon.io.ServerSocket
import dev.carillon.io.SocketOptions
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import java.net.SocketAddress
import java.nio.ByteBuffer
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

// r[impl kt.io] r[impl kt.move]

private val CONNECTED = OperationResult.made<StreamSocket>()
private val DATAGRAM = OperationResult.made<Datagram>()
private val DESCRIPTORS = OperationResult.made<ReceivedDescriptors> { it.descriptors().forEach { one -> one.close() } }

/**
 * Connects to a server; the caller closes the socket.
 *
 * Cancellable: the socket is closed, though the other side may have seen a connection.
 *
 * @param address an InetSocketAddress that is resolved, a UnixDomainSocketAddress or an AbstractSocketAddress
 * @throws java.net.ConnectException if no server listens there
 * @throws java.net.NoRouteToHostException if there is no way
 * @throws java.net.SocketTimeoutException if it takes longer than [timeout]
 */
public suspend fun EventLoop.connect(
    address: SocketAddress,
    timeout: Duration = 30.seconds,
): StreamSocket = connect(address, SocketOptions.none(), timeout)

/**
 * Connects to a server, with options that are set before; the caller closes the socket.
 *
 * Cancellable: the socket is closed, though the other side may have seen a connection.
 *
 * @throws IllegalArgumentException if such a socket lacks an option
 * @throws dev.carillon.SyscallException if the kernel refuses an option
 */
public suspend fun EventLoop.connect(
    address: SocketAddress,
    options: SocketOptions,
    timeout: Duration = 30.seconds,
): StreamSocket {
    var socket: StreamSocket? = null
    try {
        val connected =
            perform(this, CONNECTED) {
                socket =
                    StreamSocket.connect(this, address, timeout.toJavaDuration(), options, it)
            }
        socket = null
        return connected
    } finally {
        socket?.close()
    }
}

/**
 * Looks a host up and connects to the first of its addresses that answers, as RFC 8305 says: addresses of both families take turns,
 * and the next is tried when one has failed, or has not answered for a quarter of a second. The caller closes the socket.
 *
 * Cancellable: all attempts end, and the socket is closed.
 *
 * @param host a name, or an address as text; the JDK looks it up, on a thread named `carillon-resolver`
 * @throws java.net.UnknownHostException if there is no such name
 * @throws java.net.ConnectException if no address could be connected to; the suppressed ones tell about each
 * @throws java.net.SocketTimeoutException if all of it takes longer than [timeout]
 */
public suspend fun EventLoop.connect(
    host: String,
    port: Int,
    timeout: Duration = 30.seconds,
): StreamSocket = awaitStage(StreamSocket::close) { StreamSocket.connect(this, host, port, timeout.toJavaDuration()) }

/**
 * Moves the connection to another loop, and gives its new handle; this one is closed. Bytes that were not read stay in the kernel.
 *
 * Cancellable: a coroutine that was cancelled before moves nothing. Once the move has begun nobody else has the new handle, so a
 * cancellation closes the connection.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards, also if that is another loop's.
 *
 * @throws dev.carillon.ClosedException if it was closed, detached or moved before
 * @throws java.util.concurrent.RejectedExecutionException if the other loop is stopping or closed; the connection stays where it
 *     is, and if that loop has ended meanwhile, it is closed
 */
public suspend fun StreamSocket.moveTo(loop: EventLoop): StreamSocket =
    awaitStage(StreamSocket::close) { moveToAsync(loop) }

/**
 * The next connection, which the caller closes.
 *
 * Cancellable: a connection that came for an accept that was cancelled goes to the next accept. Nothing is lost.
 */
public suspend fun ServerSocket.accept(): StreamSocket =
    perform(eventLoop(), OperationResult.made(::giveBack)) { accept(it) }

/**
 * All connections from now on, until the server socket is closed. The collector closes each.
 *
 * Cancellable between two elements; a connection that the collector was not given goes to the next accept. Operators that
 * hold elements back (`buffer`, `flowOn`) lose those when they are cancelled.
 */
public fun ServerSocket.connections(): Flow<StreamSocket> = Connections(this)

/** Not `flow {}`: its emit looks for a cancellation before it hands over, and a connection would be lost. */
private class Connections(
    private val server: ServerSocket,
) : Flow<StreamSocket> {
    override suspend fun collect(collector: FlowCollector<StreamSocket>) {
        while (server.isOpen) {
            val connection =
                try {
                    server.accept()
                } catch (closed: ClosedException) {
                    if (server.isOpen) throw closed
                    return
                }
            collector.emit(connection)
        }
    }
}

/**
 * Sends bytes, and descriptors with the first of them (Unix sockets only); returns how many bytes were taken.
 *
 * Cancellable: if the buffer's position has moved, the descriptors went as well.
 *
 * @param descriptors numbers that stay open until this returns, and stay the sender's
 */
public suspend fun StreamSocket.sendDescriptors(
    bytes: ByteBuffer,
    vararg descriptors: Int,
): Int = perform(eventLoop(), COUNT) { sendDescriptors(bytes, descriptors, it) }

/**
 * Receives bytes, and the descriptors that came with them (Unix sockets only).
 *
 * Cancellable: the buffer's position tells what was read; descriptors that came with it are closed.
 *
 * @param most how many descriptors are expected at most, 1 to 253
 */
public suspend fun StreamSocket.receiveDescriptors(
    buffer: ByteBuffer,
    most: Int,
): ReceivedDescriptors = perform(eventLoop(), DESCRIPTORS) { receiveDescriptors(buffer, most, it) }

/** Sends what remains in the buffer as one datagram, to where the socket is connected if [to] is null. Cancellable. */
public suspend fun DatagramSocket.send(
    buffer: ByteBuffer,
    to: SocketAddress? = null,
): Int = perform(eventLoop(), COUNT) { send(buffer, to, it) }

/**
 * Receives a datagram.
 *
 * Cancellable: the buffer's position tells whether one was taken; who sent it is lost then.
 */
public suspend fun DatagramSocket.receive(buffer: ByteBuffer): Datagram =
    perform(eventLoop(), DATAGRAM) { receive(buffer, it) }
