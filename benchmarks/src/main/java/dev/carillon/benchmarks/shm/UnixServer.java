package dev.carillon.benchmarks.shm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A Unix socket of the JDK that takes one connection. */
final class UnixServer implements AutoCloseable {
    private final Path path;
    private final ServerSocketChannel server;
    private @Nullable SocketChannel channel;

    UnixServer() throws IOException {
        path = Files.createTempDirectory("shm").resolve("socket");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
    }

    String address() {
        return path.toString();
    }

    /** The other process's end. */
    static SocketChannel clientOf(String address) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(address));
    }

    /** The connection, which is waited for at first. */
    SocketChannel connected() throws IOException {
        SocketChannel now = channel;
        if (now == null) {
            now = server.accept();
            channel = now;
        }
        return now;
    }

    @Override
    public void close() throws IOException {
        SocketChannel open = channel;
        if (open != null) {
            open.close();
        }
        server.close();
        Files.deleteIfExists(path);
        Files.deleteIfExists(path.getParent());
    }
}
