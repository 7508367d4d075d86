package dev.carillon.benchmarks.echo;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.benchmarks.loops.TaskLoop;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.io.Operation;
import dev.carillon.io.ServerSocket;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** Ours, with operations that are kept and started again. */
final class CarillonEcho implements EchoServer {
    private final EventLoop loop = EventLoop.open().start();
    private final boolean tcp;
    private final String address;
    private final ServerSocket server;
    private final Operation accept = Operation.of(this::accepted);

    /** Of the loop thread. */
    private final Set<StreamSocket> open = new HashSet<>();

    CarillonEcho(Transport transport, Stage stage) throws Exception {
        TaskLoop.runOn(loop, stage::pinFirst);
        tcp = transport == Transport.TCP;
        String name = EchoServer.freeName();
        SocketAddress at =
                tcp ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0) : AbstractSocketAddress.of(name);
        server = ServerSocket.bind(loop, at);
        address = tcp ? "tcp:" + ((InetSocketAddress) server.localAddress()).getPort() : "unix:" + name;
        server.accept(accept);
    }

    private void accepted(Operation done) {
        if (done.failure() == null) {
            StreamSocket socket = (StreamSocket) Objects.requireNonNull(done.value(), "an accept makes a socket");
            if (tcp) {
                socket.noDelay(true);
            }
            open.add(socket);
            new Conversation(socket).start();
            server.accept(accept);
        }
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void close() {
        server.close();
        loop.execute(() -> Set.copyOf(open).forEach(StreamSocket::close));
        loop.close();
    }

    private final class Conversation {
        private final StreamSocket socket;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        private final Operation read = Operation.of(this::wasRead);
        private final Operation write = Operation.of(this::wasWritten);

        Conversation(StreamSocket socket) {
            this.socket = socket;
        }

        void start() {
            socket.readSome(buffer, read);
        }

        private void wasRead(Operation done) {
            if (done.failure() != null || done.result() < 0) {
                end();
            } else {
                socket.writeAll(buffer.flip(), write);
            }
        }

        private void wasWritten(Operation done) {
            if (done.failure() != null) {
                end();
            } else {
                socket.readSome(buffer.clear(), read);
            }
        }

        private void end() {
            open.remove(socket);
            socket.close();
        }
    }
}
