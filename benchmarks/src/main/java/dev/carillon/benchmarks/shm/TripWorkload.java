package dev.carillon.benchmarks.shm;

import java.util.Map;
import java.util.function.Supplier;

/** Round trips of a short message: the other side answers each before the next one is sent. */
public abstract class TripWorkload extends ShmWorkload {
    static final String SPINNING = "spinning";
    static final String ASLEEP = "asleep";

    TripWorkload(Map<String, Exchange> exchanges) {
        super(exchanges);
    }

    private static Exchange exchange(Supplier<Wire> wire) {
        return new Exchange(Traffic.small(1), wire);
    }

    /** Ours: a link, through its public face. */
    public static final class Link extends TripWorkload {
        /** Has the variants without a short look before the sleep. */
        static final String NO_LOOK = "-Dcarillon.shm.spin=0";

        /** Has them with the look that threads on several cores have: a pinned worker counts one, and would not look. */
        static final String LOOK = "-Dcarillon.shm.spin=20000";

        /** For the worker. */
        public Link() {
            super(Map.of(
                    SPINNING, exchange(() -> new LinkTripWire(false)), ASLEEP, exchange(() -> new LinkTripWire(true))));
        }
    }

    /** The JDK's Unix sockets, which sleep in their reads. */
    public static final class UnixSockets extends TripWorkload {
        /** For the worker. */
        public UnixSockets() {
            super(Map.of(SPINNING, exchange(UnixTripWire::new), ASLEEP, exchange(UnixTripWire::new)));
        }
    }

    /** Aeron over IPC, which does not sleep unless it is told how long. */
    public static final class Aeron extends TripWorkload {
        /** For the worker. */
        public Aeron() {
            super(Map.of(SPINNING, exchange(AeronTripWire::new)));
        }
    }
}
