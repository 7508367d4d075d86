package dev.carillon.benchmarks.shm;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** Aeron over IPC, a stream each way, with the driver in the caller's process; both sides look all the time. */
final class AeronTripWire implements Wire {
    private static final int THERE = 1;
    private static final int BACK = 2;
    private static final String CHANNEL = "aeron:ipc?term-length=1m";

    @Override
    public Outlet outlet(Traffic traffic) {
        return new Caller(traffic);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) {
        return new Answerer(AeronHost.guestOf(address));
    }

    /** One side's two ends; it keeps the last message that it got. */
    private static final class Ends {
        private final ExclusivePublication to;
        private final Subscription from;
        private final BufferClaim claim = new BufferClaim();
        private final FragmentHandler handler = (buffer, at, length, header) -> {
            number = buffer.getLong(at);
            sum = Stamps.sum(buffer, at);
        };
        private long number;
        private long sum;

        Ends(ExclusivePublication to, Subscription from) {
            this.to = to;
            this.from = from;
        }

        boolean areConnected() {
            return to.isConnected() && from.isConnected();
        }

        void send(long next, Patience patience) throws TimeoutException {
            while (to.tryClaim(64, claim) < 0) {
                patience.again();
            }
            Stamps.put(claim.buffer(), claim.offset(), next);
            claim.commit();
        }

        boolean receive() {
            return from.poll(handler, 1) > 0;
        }
    }

    private static final class Caller implements Outlet {
        private final Traffic traffic;
        private final AeronHost host = new AeronHost();
        private final Ends ends;

        Caller(Traffic traffic) {
            this.traffic = traffic;
            Aeron aeron = host.aeron();
            ends = new Ends(aeron.addExclusivePublication(CHANNEL, THERE), aeron.addSubscription(CHANNEL, BACK));
            host.serveUntil(ends::areConnected);
        }

        @Override
        public String address() {
            return host.address();
        }

        @Override
        public void send(long first, int count, Patience patience) throws Exception {
            host.awaitConnected();
            // Terms are cleaned by the driver: once in a while is enough.
            host.callDriver();
            for (int i = 0; i < count; i++) {
                ends.send(first + i, patience);
                while (!ends.receive()) {
                    patience.again();
                }
                if (ends.sum != traffic.sum(first + i, 1)) {
                    throw new IOException("the answer to " + (first + i) + " has other stamps");
                }
            }
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static final class Answerer implements Inlet {
        private final Aeron aeron;
        private final Ends ends;
        private final Patience patience = new Patience(Duration.ofSeconds(30));

        Answerer(Aeron aeron) {
            this.aeron = aeron;
            Subscription from = aeron.addSubscription(CHANNEL, THERE);
            ends = new Ends(aeron.addExclusivePublication(CHANNEL, BACK), from);
        }

        @Override
        public int receive(int most, Tally tally) throws TimeoutException {
            if (!ends.receive()) {
                return 0;
            }
            tally.message(ends.number, ends.sum);
            patience.begin();
            ends.send(ends.number, patience);
            return 1;
        }

        @Override
        public void close() {
            aeron.close();
        }
    }
}
