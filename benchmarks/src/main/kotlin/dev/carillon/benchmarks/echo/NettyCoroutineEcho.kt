package dev.carillon.benchmarks.echo

import dev.carillon.benchmarks.loops.NettyLoop
import dev.carillon.benchmarks.loops.TaskLoop
import dev.carillon.benchmarks.worker.Stage
import io.netty.bootstrap.ServerBootstrap
import io.netty.buffer.ByteBuf
import io.netty.channel.Channel
import io.netty.channel.ChannelFuture
import io.netty.channel.ChannelFutureListener
import io.netty.channel.ChannelHandlerContext
import io.netty.channel.ChannelInboundHandlerAdapter
import io.netty.channel.ChannelOption
import io.netty.channel.epoll.EpollServerSocketChannel
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.suspendCancellableCoroutine
import java.net.InetAddress
import java.net.InetSocketAddress
import kotlin.coroutines.resume

/** Netty's epoll with a coroutine for each connection: a thin bridge by hand, since Netty brings none. */
internal class NettyCoroutineEcho(
    stage: Stage,
) : EchoServer {
    private val loop = NettyLoop.epoll()
    private val job: Job = SupervisorJob()
    private val channel: Channel

    init {
        TaskLoop.runOn(loop, stage::pinFirst)
        val scope = CoroutineScope(job + loop.group().next().asCoroutineDispatcher())
        channel =
            ServerBootstrap()
                .group(loop.group())
                .channel(EpollServerSocketChannel::class.java)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(Connections(scope))
                .bind(InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel()
    }

    override fun address(): String = "tcp:" + (channel.localAddress() as InetSocketAddress).port

    override fun close() {
        channel.close().awaitUninterruptibly()
        runBlocking { job.cancelAndJoin() }
        loop.close()
    }

    /** Gives each new connection its bridge and its coroutine. */
    @io.netty.channel.ChannelHandler.Sharable
    private class Connections(
        private val scope: CoroutineScope,
    ) : ChannelInboundHandlerAdapter() {
        override fun channelActive(context: ChannelHandlerContext) {
            val bridge = Bridge(context.channel())
            context.pipeline().replace(this, "bridge", bridge)
            scope.launch {
                while (true) {
                    val message = bridge.read() ?: break
                    bridge.write(message)
                }
            }
        }
    }

    /** What a coroutine reads and writes through; all of it happens on the loop's thread. */
    private class Bridge(
        private val channel: Channel,
    ) : ChannelInboundHandlerAdapter() {
        private var reader: CancellableContinuation<ByteBuf?>? = null
        private var arrived: ByteBuf? = null
        private var ended = false

        suspend fun read(): ByteBuf? {
            arrived?.let {
                arrived = null
                return it
            }
            return if (ended) {
                null
            } else {
                suspendCancellableCoroutine {
                    reader = it
                    channel.read()
                }
            }
        }

        suspend fun write(message: ByteBuf) {
            val written = channel.writeAndFlush(message)
            if (!written.isDone) {
                suspendCancellableCoroutine<Unit> { waiting ->
                    written.addListener(ChannelFutureListener { _: ChannelFuture -> waiting.resume(Unit) })
                }
            }
        }

        override fun channelRead(
            context: ChannelHandlerContext,
            message: Any,
        ) {
            val waiting = reader
            if (waiting == null) {
                arrived = message as ByteBuf
            } else {
                reader = null
                waiting.resume(message as ByteBuf)
            }
        }

        override fun channelInactive(context: ChannelHandlerContext) {
            ended = true
            reader?.resume(null)
            reader = null
        }

        @Deprecated("so it is in Netty")
        override fun exceptionCaught(
            context: ChannelHandlerContext,
            cause: Throwable,
        ) {
            // The load resets its connections when it ends.
            context.close()
        }
    }
}
