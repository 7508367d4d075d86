package dev.carillon.benchmarks.shm;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.util.concurrent.TimeoutException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron over IPC, with the driver in the sender's process. The sender calls the driver where it finds no room: on two cores
 * a driver's thread would take one from a side. Short messages are written in place, long ones are copied in and out.
 */
final class AeronWire implements Wire {
    private static final int STREAM = 1;

    /** A term that stays in a cache, and one that takes 1 MiB messages in the largest fragments that there are. */
    private static final String SMALL = "aeron:ipc?term-length=1m";

    private static final String LARGE = "aeron:ipc?term-length=16m|mtu=65504";

    @Override
    public Outlet outlet(Traffic traffic) {
        return new Sender(traffic);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) {
        return new Reader(traffic, AeronHost.guestOf(address));
    }

    private static String channel(Traffic traffic) {
        return traffic.isSmall() ? SMALL : LARGE;
    }

    private static final class Sender implements Outlet {
        private final Traffic traffic;
        private final AeronHost host = new AeronHost();
        private final ExclusivePublication publication;
        private final BufferClaim claim = new BufferClaim();
        private final UnsafeBuffer message;

        Sender(Traffic traffic) {
            this.traffic = traffic;
            message = new UnsafeBuffer(new byte[traffic.bytes()]);
            publication = host.aeron().addExclusivePublication(channel(traffic), STREAM);
            host.serveUntil(publication::isConnected);
        }

        @Override
        public String address() {
            return host.address();
        }

        @Override
        public void send(long first, int count, Patience patience) throws Exception {
            host.awaitConnected();
            for (int i = 0; i < count; i++) {
                if (traffic.isSmall()) {
                    sendSmall(first + i, patience);
                } else {
                    sendLarge(first + i, patience);
                }
            }
        }

        private void sendSmall(long number, Patience patience) throws TimeoutException {
            while (publication.tryClaim(64, claim) < 0) {
                host.callDriver();
                patience.again();
            }
            Stamps.put(claim.buffer(), claim.offset(), number);
            claim.commit();
        }

        private void sendLarge(long number, Patience patience) throws TimeoutException {
            for (int i = 0; i < traffic.stamps(); i++) {
                message.putLong(i * traffic.stride(), number + i);
            }
            while (publication.offer(message, 0, traffic.bytes()) < 0) {
                host.callDriver();
                patience.again();
            }
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static final class Reader implements Inlet {
        private final Traffic traffic;
        private final Aeron aeron;
        private final Subscription subscription;
        private final FragmentHandler handler;
        private Tally tally = new Tally();

        Reader(Traffic traffic, Aeron aeron) {
            this.traffic = traffic;
            this.aeron = aeron;
            subscription = aeron.addSubscription(channel(traffic), STREAM);
            handler = traffic.isSmall()
                    ? (from, at, length, header) -> tally.message(from.getLong(at), Stamps.sum(from, at))
                    : new FragmentAssembler((from, at, length, header) -> look(from, at), traffic.bytes());
        }

        private void look(DirectBuffer from, int at) {
            long sum = 0;
            for (int i = 0; i < traffic.stamps(); i++) {
                sum += from.getLong(at + i * traffic.stride());
            }
            tally.message(from.getLong(at), sum);
        }

        @Override
        public int receive(int most, Tally into) {
            tally = into;
            long before = into.next();
            subscription.poll(handler, most);
            return (int) (into.next() - before);
        }

        @Override
        public void close() {
            aeron.close();
        }
    }
}
