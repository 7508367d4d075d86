package dev.carillon.benchmarks.loops;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Netty's event loop on one of its native transports. */
public final class NettyLoop implements TaskLoop {
    /**
     * Netty's own fast paths, which newer JDKs want to be asked for: memory through Unsafe, direct buffers without
     * cleaners. Without its leak detector, which samples buffers for tests.
     */
    public static final List<String> FLAGS = List.of(
            "-Dsun.misc.unsafe.memory.access=allow",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Dio.netty.leakDetection.level=disabled");

    private static final long PATIENCE_SECONDS = 10;

    private final EventLoopGroup group;
    private final EventLoop loop;

    private NettyLoop(IoHandlerFactory handlers) {
        group = new MultiThreadIoEventLoopGroup(1, handlers);
        loop = group.next();
    }

    /** Starts one on epoll. */
    public static NettyLoop epoll() {
        if (!Epoll.isAvailable()) {
            throw new UnsupportedOperationException("Netty has no epoll here: " + Epoll.unavailabilityCause());
        }
        return new NettyLoop(EpollIoHandler.newFactory());
    }

    /** Starts one on io_uring. */
    public static NettyLoop uring() {
        if (!IoUring.isAvailable()) {
            throw new UnsupportedOperationException("Netty has no io_uring here: " + IoUring.unavailabilityCause());
        }
        return new NettyLoop(IoUringIoHandler.newFactory());
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    /** Returns the group with this loop alone. */
    public EventLoopGroup group() {
        return group;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
