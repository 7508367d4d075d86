package dev.carillon.benchmarks.shm;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** The JDK's Unix sockets, blocking: a write, and a read that sleeps. */
final class UnixTripWire implements Wire {
    @Override
    public Outlet outlet(Traffic traffic) throws IOException {
        return new Caller(traffic);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) throws IOException {
        return new Answerer(traffic, UnixServer.clientOf(address));
    }

    /** What one side writes and reads. */
    private static final class Message {
        private final ByteBuffer bytes;
        private final int stamps;

        Message(Traffic traffic) {
            bytes = ByteBuffer.allocateDirect(traffic.bytes()).order(ByteOrder.nativeOrder());
            stamps = traffic.stamps();
        }

        void write(SocketChannel to, long number) throws IOException {
            bytes.clear();
            for (int i = 0; i < stamps; i++) {
                bytes.putLong(i * Long.BYTES, number + i);
            }
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        }

        /** Returns the sum of what came. */
        long read(SocketChannel from) throws IOException {
            bytes.clear();
            while (bytes.hasRemaining()) {
                if (from.read(bytes) < 0) {
                    throw new EOFException("the other side has closed");
                }
            }
            long sum = 0;
            for (int i = 0; i < stamps; i++) {
                sum += bytes.getLong(i * Long.BYTES);
            }
            return sum;
        }

        long number() {
            return bytes.getLong(0);
        }
    }

    private static final class Caller implements Outlet {
        private final Traffic traffic;
        private final Message message;
        private final UnixServer server = new UnixServer();

        Caller(Traffic traffic) throws IOException {
            this.traffic = traffic;
            message = new Message(traffic);
        }

        @Override
        public String address() {
            return server.address();
        }

        @Override
        public void send(long first, int count, Patience patience) throws IOException {
            SocketChannel open = server.connected();
            for (int i = 0; i < count; i++) {
                message.write(open, first + i);
                long answer = message.read(open);
                if (answer != traffic.sum(first + i, 1)) {
                    throw new IOException("the answer to " + (first + i) + " has other stamps, with the sum " + answer);
                }
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static final class Answerer implements Inlet {
        private final SocketChannel channel;
        private final Message message;

        Answerer(Traffic traffic, SocketChannel channel) {
            this.channel = channel;
            message = new Message(traffic);
        }

        @Override
        public int receive(int most, Tally tally) throws IOException {
            long sum = message.read(channel);
            long number = message.number();
            tally.message(number, sum);
            message.write(channel, number);
            return 1;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
