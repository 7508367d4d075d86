package dev.carillon.benchmarks.shm;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.AgentInvoker;

/** Aeron over IPC, a stream each way, with the driver in the caller's process; both sides look all the time. */
final class AeronTripWire implements Wire {
    private static final int THERE = 1;
    private static final int BACK = 2;
    private static final String CHANNEL = "aeron:ipc?term-length=1m";

    /** Between two rounds no thread calls the driver. */
    private static final long NEVER_NANOS = TimeUnit.HOURS.toNanos(10);

    private static final long NEVER_MILLIS = TimeUnit.HOURS.toMillis(10);
    private static final long OPENING_PAUSE_NANOS = 100_000;

    @Override
    public Outlet outlet(Traffic traffic) {
        return new Caller(traffic);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) {
        return new Answerer(
                Aeron.connect(new Aeron.Context().aeronDirectoryName(address).driverTimeoutMs(NEVER_MILLIS)));
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
        private final MediaDriver driver;
        private final AgentInvoker driverCalls;
        private final Aeron aeron;
        private final Ends ends;
        private final Thread opening = new Thread(this::serveUntilConnected, "aeron-opening");
        private boolean connected;

        Caller(Traffic traffic) {
            this.traffic = traffic;
            driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
                    .threadingMode(ThreadingMode.INVOKER)
                    .dirDeleteOnShutdown(true)
                    .driverTimeoutMs(NEVER_MILLIS)
                    .clientLivenessTimeoutNs(NEVER_NANOS)
                    .publicationUnblockTimeoutNs(2 * NEVER_NANOS));
            driverCalls = driver.sharedAgentInvoker();
            aeron = Aeron.connect(new Aeron.Context()
                    .aeronDirectoryName(driver.aeronDirectoryName())
                    .driverTimeoutMs(NEVER_MILLIS)
                    .useConductorAgentInvoker(true)
                    .driverAgentInvoker(driverCalls));
            ends = new Ends(aeron.addExclusivePublication(CHANNEL, THERE), aeron.addSubscription(CHANNEL, BACK));
            opening.setDaemon(true);
            opening.start();
        }

        /** The other process needs the driver while it opens its ends. */
        private void serveUntilConnected() {
            while (!ends.areConnected() && !Thread.currentThread().isInterrupted()) {
                driverCalls.invoke();
                aeron.conductorAgentInvoker().invoke();
                LockSupport.parkNanos(OPENING_PAUSE_NANOS);
            }
        }

        @Override
        public String address() {
            return driver.aeronDirectoryName();
        }

        @Override
        public void send(long first, int count, Patience patience) throws Exception {
            if (!connected) {
                opening.join();
                connected = true;
            }
            // Terms are cleaned by the driver: once in a while is enough.
            driverCalls.invoke();
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
            opening.interrupt();
            try {
                opening.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            aeron.close();
            driver.close();
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
