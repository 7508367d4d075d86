package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** A socket with options, whatever class it has. */
interface OptionSubject extends AutoCloseable {
    <T> T get(SocketOption<T> option);

    <T> void set(SocketOption<T> option, T value);

    @Override
    void close();

    /** Where such a socket can be bound; a Unix one has a path of its own in that folder. */
    static SocketAddress any(int family, Path folder) {
        return family == AF_UNIX
                ? UnixDomainSocketAddress.of(folder.resolve("socket" + System.nanoTime()))
                : family == AF_INET6 ? LoopCase.localSix() : LoopCase.localFour();
    }

    /** A socket of that kind, which begins with these options. */
    static OptionSubject open(EventLoop loop, SocketKind kind, SocketOptions options, Path folder) {
        return switch (kind.use()) {
            case LISTENER -> listener(ServerSocket.bind(loop, any(kind.family(), folder), options));
            case DATAGRAMS -> datagrams(DatagramSocket.bind(loop, any(kind.family(), folder), options));
            case STREAM -> stream(loop, any(kind.family(), folder), options);
        };
    }

    private static OptionSubject listener(ServerSocket server) {
        return new OptionSubject() {
            @Override
            public <T> T get(SocketOption<T> option) {
                return server.option(option);
            }

            @Override
            public <T> void set(SocketOption<T> option, T value) {
                server.option(option, value);
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    private static OptionSubject datagrams(DatagramSocket socket) {
        return new OptionSubject() {
            @Override
            public <T> T get(SocketOption<T> option) {
                return socket.option(option);
            }

            @Override
            public <T> void set(SocketOption<T> option, T value) {
                socket.option(option, value);
            }

            @Override
            public void close() {
                socket.close();
            }
        };
    }

    private static OptionSubject stream(EventLoop loop, SocketAddress at, SocketOptions options) {
        try (ServerSocket server = ServerSocket.bind(loop, at)) {
            CompletableFuture<StreamSocket> accepting = server.acceptAsync();
            StreamSocket client = LoopCase.get(StreamSocket.connect(loop, server.localAddress(), options));
            StreamSocket accepted = LoopCase.get(accepting);
            return new OptionSubject() {
                @Override
                public <T> T get(SocketOption<T> option) {
                    return client.option(option);
                }

                @Override
                public <T> void set(SocketOption<T> option, T value) {
                    client.option(option, value);
                }

                @Override
                public void close() {
                    client.close();
                    accepted.close();
                }
            };
        }
    }
}
