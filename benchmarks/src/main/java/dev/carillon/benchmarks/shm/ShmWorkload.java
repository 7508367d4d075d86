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
    private static final Map<String, Traffic> TRAFFIC = Map.of(
            "one-by-one", Traffic.small(1),
            "batch-16", Traffic.small(16),
            "batch-64", Traffic.small(64),
            "64-kib", Traffic.large(64 * KIB),
            "1-mib", Traffic.large(KIB * KIB));

    private final Supplier<Wire> wire;
    private @Nullable FarSide far;

    /** For wires of this package. */
    ShmWorkload(Supplier<Wire> wire) {
        this.wire = wire;
    }

    @Override
    public Map<String, Opener> works() {
        Map<String, Opener> works = new HashMap<>();
        TRAFFIC.forEach((name, traffic) -> works.put(name, stage -> open(name, traffic, stage)));
        return works;
    }

    private Work open(String name, Traffic traffic, Stage stage) throws Exception {
        return OneWay.open(name, wire(), traffic, farSide(stage), stage);
    }

    private FarSide farSide(Stage stage) throws IOException {
        FarSide now = far;
        if (now == null || !now.isAlive()) {
            now = FarSide.start(Receiver.class, getClass(), stage);
            far = now;
        }
        return now;
    }

    Wire wire() {
        return wire.get();
    }

    Traffic traffic(String work) {
        Traffic traffic = TRAFFIC.get(work);
        if (traffic == null) {
            throw new IllegalArgumentException("work=" + work + " is unknown here; known: " + TRAFFIC.keySet());
        }
        return traffic;
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
