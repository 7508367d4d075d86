package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.loops.NettyLoop;
import dev.carillon.benchmarks.loops.TaskLoop;
import dev.carillon.benchmarks.worker.Stage;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Netty's on a native transport: the handler of its own echo example, with Netty's own buffers. */
final class NettyEcho implements EchoServer {
    private static final int BACKLOG = 4096;

    private final NettyLoop loop;
    private final Channel channel;
    private final String address;

    private NettyEcho(NettyLoop loop, Class<? extends ServerChannel> kind, Transport transport, Stage stage)
            throws Exception {
        this.loop = loop;
        TaskLoop.runOn(loop, stage::pinFirst);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop.group())
                .channel(kind)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new Echo());
        // A zero in front is how Netty writes an abstract name.
        String name = EchoServer.freeName();
        boolean tcp = transport == Transport.TCP;
        SocketAddress at =
                tcp ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0) : new DomainSocketAddress("\0" + name);
        if (tcp) {
            bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
        }
        channel = bootstrap.bind(at).sync().channel();
        address = tcp ? "tcp:" + ((InetSocketAddress) channel.localAddress()).getPort() : "unix:" + name;
    }

    static EchoServer epoll(Transport transport, Stage stage) throws Exception {
        var kind = transport == Transport.TCP ? EpollServerSocketChannel.class : EpollServerDomainSocketChannel.class;
        return new NettyEcho(NettyLoop.epoll(), kind, transport, stage);
    }

    static EchoServer uring(Transport transport, Stage stage) throws Exception {
        var kind =
                transport == Transport.TCP ? IoUringServerSocketChannel.class : IoUringServerDomainSocketChannel.class;
        return new NettyEcho(NettyLoop.uring(), kind, transport, stage);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        loop.close();
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            var unused = context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The load resets its connections when it ends.
            var unused = context.close();
        }
    }
}
