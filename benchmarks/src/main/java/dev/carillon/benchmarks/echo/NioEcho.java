package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.worker.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The JDK's selector, written by hand: one buffer for all connections, an answer right after each read. */
final class NioEcho implements EchoServer {
    private static final int BACKLOG = 4096;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel server;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private final boolean tcp;
    private final Path file;
    private final String address;
    private final Thread thread;
    private volatile boolean closed;

    NioEcho(Transport transport, Stage stage) throws IOException {
        tcp = transport == Transport.TCP;
        // The JDK has no abstract names.
        file = Path.of(System.getProperty("java.io.tmpdir"), EchoServer.freeName());
        server = tcp ? ServerSocketChannel.open() : ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(
                tcp ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0) : UnixDomainSocketAddress.of(file),
                BACKLOG);
        address = tcp ? "tcp:" + ((InetSocketAddress) server.getLocalAddress()).getPort() : "file:" + file;
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        thread = new Thread(() -> run(stage), "nio-echo");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Stage stage) {
        stage.pinFirst();
        try {
            while (!closed) {
                selector.select(this::ready);
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the selector of " + address, e);
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else {
                answer(key, (SocketChannel) key.channel());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a connection to " + address, e);
        }
    }

    private void accept() throws IOException {
        SocketChannel channel;
        while ((channel = server.accept()) != null) {
            channel.configureBlocking(false);
            if (tcp) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            channel.register(selector, SelectionKey.OP_READ);
        }
    }

    private void answer(SelectionKey key, SocketChannel channel) throws IOException {
        buffer.clear();
        int count;
        try {
            count = channel.read(buffer);
        } catch (IOException reset) {
            // How the load ends its connections.
            count = -1;
        }
        if (count < 0) {
            key.cancel();
            channel.close();
            return;
        }
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the socket's file " + file + " could not be removed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
