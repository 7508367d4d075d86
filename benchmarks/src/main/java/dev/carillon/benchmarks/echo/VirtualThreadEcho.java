package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.worker.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/** A virtual thread for each connection, which blocks in channels of the JDK; all on one carrier. */
final class VirtualThreadEcho implements EchoServer {
    /** One carrier, as every server here has one thread. */
    static final String ONE_CARRIER = "-Djdk.virtualThreadScheduler.parallelism=1";

    private static final int BACKLOG = 4096;

    private final ThreadFactory threads = virtualThreads();
    private final ServerSocketChannel server = ServerSocketChannel.open();
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final Stage stage;

    VirtualThreadEcho(Stage stage) throws IOException {
        this.stage = stage;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        threads.newThread(this::acceptAll).start();
    }

    /** Java 17 knows no virtual threads. */
    private static ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Objects.requireNonNull(Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder));
        } catch (NoSuchMethodException | ClassNotFoundException | IllegalAccessException e) {
            throw new UnsupportedOperationException("virtual threads came with JDK 21", e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("virtual threads", e);
        }
    }

    private void acceptAll() {
        // The one carrier, as long as it is not blocked for good.
        stage.pinFirst();
        try {
            while (true) {
                SocketChannel channel = server.accept();
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                open.add(channel);
                threads.newThread(() -> serve(channel)).start();
            }
        } catch (IOException closed) {
            open.forEach(VirtualThreadEcho::close);
        }
    }

    private void serve(SocketChannel channel) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try {
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                buffer.clear();
            }
        } catch (IOException reset) {
            // How the load ends its connections.
        }
        open.remove(channel);
        close(channel);
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a connection", e);
        }
    }

    @Override
    public String address() {
        return "tcp:" + server.socket().getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the server", e);
        }
    }
}
