package dev.carillon.io;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of ours that sends back what comes, until the other side has ended its own. */
final class Echoing {
    private final ServerSocket server;
    private final int bufferSize;
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    private Echoing(ServerSocket server, int bufferSize) {
        this.server = server;
        this.bufferSize = bufferSize;
    }

    static Echoing on(ServerSocket server, int bufferSize) {
        Echoing echoing = new Echoing(server, bufferSize);
        server.accept(Operation.of(echoing::onAccept));
        return echoing;
    }

    int accepted() {
        return accepted.get();
    }

    int ended() {
        return ended.get();
    }

    private void onAccept(Operation accept) {
        if (accept.failure() == null) {
            accepted.incrementAndGet();
            new Connection(Handle.made(accept, StreamSocket.class)).read();
            server.accept(accept);
        }
    }

    private final class Connection {
        private final StreamSocket socket;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(bufferSize);
        private final Operation read = Operation.of(this::wasRead);
        private final Operation write = Operation.of(this::wasWritten);

        Connection(StreamSocket socket) {
            this.socket = socket;
        }

        void read() {
            socket.readSome(buffer.clear(), read);
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
                read();
            }
        }

        private void end() {
            socket.close();
            ended.incrementAndGet();
        }
    }
}
