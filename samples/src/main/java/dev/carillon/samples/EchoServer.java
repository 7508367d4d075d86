package dev.carillon.samples;

import dev.carillon.io.Operation;
import dev.carillon.io.ServerSocket;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.RunMode;
import dev.carillon.samples.words.Word;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Sends back whatever it is sent, over TCP and over a Unix socket, on one thread. */
public final class EchoServer {
    public static void main(String[] arguments) {
        if (!Word.fit("echo-server [PORT [SOCKET]]", arguments, Word.PORT, Word.FILE)) {
            System.exit(2);
        }
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 7007;
        Path path = Path.of(arguments.length > 1 ? arguments[1] : "/tmp/carillon-echo");
        EventLoop loop = EventLoop.open();
        listen(loop, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        listen(loop, UnixDomainSocketAddress.of(path));
        path.toFile().deleteOnExit();
        // Ends with the VM, on Ctrl-C for example: that stops all loops.
        loop.run(RunMode.STOPPED);
    }

    // region echo
    private static void listen(EventLoop loop, SocketAddress address) {
        ServerSocket server = ServerSocket.bind(loop, address);
        System.out.println("listening on " + server.localAddress());
        server.accept(Operation.of(accept -> {
            if (accept.value() instanceof StreamSocket socket) {
                echo(socket, ByteBuffer.allocateDirect(16 * 1024));
                server.accept(accept);
            }
        }));
    }

    private static void echo(StreamSocket socket, ByteBuffer buffer) {
        Operation write = Operation.of(written -> {
            if (written.failure() == null) {
                echo(socket, buffer);
            } else {
                socket.close();
            }
        });
        Operation read = Operation.of(done -> {
            if (done.result() > 0) {
                socket.writeAll(buffer.flip(), write);
            } else {
                socket.close();
            }
        });
        socket.readSome(buffer.clear(), read);
    }
    // endregion
}
