package dev.carillon.benchmarks.shm;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** The JDK's Unix sockets, blocking: a batch is one write, and a read takes what is there. */
final class UnixSocketWire implements Wire {
    /** As much as the kernel gives to a user who asks for more. */
    private static final int LARGE_BUFFER = 1 << 20;

    private static final int READ_AT_ONCE = 1 << 16;

    @Override
    public Outlet outlet(Traffic traffic) throws IOException {
        return new Sender(traffic);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) throws IOException {
        SocketChannel channel = UnixServer.clientOf(address);
        if (!traffic.isSmall()) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, LARGE_BUFFER);
        }
        return new Reader(traffic, channel);
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    private static final class Sender implements Outlet {
        private final Traffic traffic;
        private final UnixServer server = new UnixServer();
        private final ByteBuffer buffer;
        private boolean isSized;

        Sender(Traffic traffic) throws IOException {
            this.traffic = traffic;
            buffer = buffer(traffic.bytes() * traffic.batch());
        }

        @Override
        public String address() {
            return server.address();
        }

        @Override
        public void send(long first, int count, Patience patience) throws IOException {
            SocketChannel to = connected();
            for (int done = 0; done < count; ) {
                int some = Math.min(traffic.batch(), count - done);
                for (int i = 0; i < some; i++) {
                    stamp(i * traffic.bytes(), first + done + i);
                }
                buffer.limit(some * traffic.bytes()).position(0);
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
                done += some;
            }
        }

        private void stamp(int at, long number) {
            for (int i = 0; i < traffic.stamps(); i++) {
                buffer.putLong(at + i * traffic.stride(), number + i);
            }
        }

        private SocketChannel connected() throws IOException {
            SocketChannel now = server.connected();
            if (!isSized && !traffic.isSmall()) {
                now.setOption(StandardSocketOptions.SO_SNDBUF, LARGE_BUFFER);
            }
            isSized = true;
            return now;
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static final class Reader implements Inlet {
        private final Traffic traffic;
        private final SocketChannel channel;
        private final ByteBuffer buffer;

        Reader(Traffic traffic, SocketChannel channel) {
            this.traffic = traffic;
            this.channel = channel;
            buffer = buffer(Math.max(READ_AT_ONCE, traffic.bytes()));
        }

        @Override
        public int receive(int most, Tally tally) throws IOException {
            if (buffer.position() < traffic.bytes() && channel.read(buffer) < 0) {
                throw new EOFException("the sender has closed");
            }
            int count = Math.min(most, buffer.position() / traffic.bytes());
            for (int i = 0; i < count; i++) {
                look(i * traffic.bytes(), tally);
            }
            if (count > 0) {
                buffer.flip().position(count * traffic.bytes());
                buffer.compact();
            }
            return count;
        }

        private void look(int at, Tally tally) {
            long sum = 0;
            for (int i = 0; i < traffic.stamps(); i++) {
                sum += buffer.getLong(at + i * traffic.stride());
            }
            tally.message(buffer.getLong(at), sum);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
