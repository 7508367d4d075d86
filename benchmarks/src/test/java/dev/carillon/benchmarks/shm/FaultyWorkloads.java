package dev.carillon.benchmarks.shm;

import java.io.IOException;

/** Ways that go wrong. */
final class FaultyWorkloads {
    private FaultyWorkloads() {}

    /** Sends each pair of messages in the wrong order: the sum is right. */
    public static final class Swapping extends ShmWorkload {
        /** For the worker. */
        public Swapping() {
            super(() -> new Faulty(1, 0));
        }
    }

    /** Reads too much: the order is right. */
    public static final class Misreading extends ShmWorkload {
        /** For the worker. */
        public Misreading() {
            super(() -> new Faulty(0, 1));
        }
    }

    private record Faulty(long swap, long misread) implements Wire {
        @Override
        public Outlet outlet(Traffic traffic) throws IOException {
            Outlet sockets = new UnixSocketWire().outlet(traffic);
            return new Outlet() {
                @Override
                public String address() {
                    return sockets.address();
                }

                @Override
                public void send(long first, int count, Patience patience) throws Exception {
                    for (int i = 0; i < count; i++) {
                        sockets.send((first + i) ^ swap, 1, patience);
                    }
                }

                @Override
                public void close() throws IOException {
                    sockets.close();
                }
            };
        }

        @Override
        public Inlet inlet(Traffic traffic, String address) throws IOException {
            Inlet sockets = new UnixSocketWire().inlet(traffic, address);
            return new Inlet() {
                @Override
                public int receive(int most, Tally tally) throws Exception {
                    int count = sockets.receive(most, tally);
                    tally.messages(0, 0, misread);
                    return count;
                }

                @Override
                public void close() throws IOException {
                    sockets.close();
                }
            };
        }
    }
}
