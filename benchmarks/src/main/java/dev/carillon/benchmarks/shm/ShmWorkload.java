package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is asked of every {@link Wire}; one subclass for each. */
public abstract class ShmWorkload implements Workload {
    private static final int KIB = 1 << 10;
    private static final Map<String, Traffic> ONE_WAY = Map.of(
            "one-by-one", Traffic.small(1),
            "batch-16", Traffic.small(16),
            "batch-64", Traffic.small(64),
            "64-kib", Traffic.large(64 * KIB),
            "1-mib", Traffic.large(KIB * KIB));

    private final Map<String, Exchange> exchanges;
    private @Nullable FarSide far;

    /** One that sends one way. */
    ShmWorkload(Supplier<Wire> wire) {
        this(oneWay(wire));
    }

    /** For wires of this package. */
    ShmWorkload(Map<String, Exchange> exchanges) {
        this.exchanges = exchanges;
    }

    private static Map<String, Exchange> oneWay(Supplier<Wire> wire) {
        Map<String, Exchange> all = new HashMap<>();
        ONE_WAY.forEach((name, traffic) -> all.put(name, new Exchange(traffic, wire)));
        return all;
    }

    /**
     * A work.
     *
     * @param traffic what the messages are like
     * @param wire which way they go
     */
    record Exchange(Traffic traffic, Supplier<Wire> wire) {}

    @Override
    public Map<String, Opener> works() {
        Map<String, Opener> works = new HashMap<>();
        exchanges.forEach((name, exchange) -> works.put(name, stage -> open(name, exchange, stage)));
        return works;
    }

    private Work open(String name, Exchange exchange, Stage stage) throws Exception {
        return OneWay.open(name, exchange.wire().get(), exchange.traffic(), farSide(stage), stage);
    }

    private FarSide farSide(Stage stage) throws IOException {
        FarSide now = far;
        if (now == null || !now.isAlive()) {
            now = FarSide.start(Receiver.class, getClass(), stage);
            far = now;
        }
        return now;
    }

    /** Opens the receiving end of a work, in the other process. */
    Inlet inlet(String work, String address) throws Exception {
        Exchange exchange = exchanges.get(work);
        if (exchange == null) {
            throw new IllegalArgumentException("work=" + work + " is unknown here; known: " + exchanges.keySet());
        }
        return exchange.wire().get().inlet(exchange.traffic(), address);
    }

    /** Ours. */
    public static final class Carillon extends ShmWorkload {
        /** For the worker. */
        public Carillon() {
            super(() -> new CarillonWire(false));
        }
    }

    /** Ours, with long messages written and read in their slots. */
    public static final class CarillonInPlace extends ShmWorkload {
        /** For the worker. */
        public CarillonInPlace() {
            super(() -> new CarillonWire(true));
        }
    }

    /** Ours, with all that a link does beside its ring. */
    public static final class Link extends ShmWorkload {
        /** For the worker. */
        public Link() {
            super(() -> new LinkWire(false));
        }
    }

    /** As {@link Link}, with long messages written and read in their slots. */
    public static final class LinkInPlace extends ShmWorkload {
        /** For the worker. */
        public LinkInPlace() {
            super(() -> new LinkWire(true));
        }
    }

    /** Agrona's ring. */
    public static final class Agrona extends ShmWorkload {
        /** For the worker. */
        public Agrona() {
            super(AgronaWire::new);
        }
    }

    /** Aeron over IPC. */
    public static final class Aeron extends ShmWorkload {
        /** For the worker. */
        public Aeron() {
            super(AeronWire::new);
        }
    }

    /** Chronicle Queue. */
    public static final class Chronicle extends ShmWorkload {
        /** For the worker. */
        public Chronicle() {
            super(ChronicleWire::new);
        }
    }

    /** The JDK's Unix sockets. */
    public static final class UnixSockets extends ShmWorkload {
        /** For the worker. */
        public UnixSockets() {
            super(UnixSocketWire::new);
        }
    }
}
