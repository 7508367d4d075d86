package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Workload;
import java.util.Map;

/** What can be done with any {@link Clockwork}; one subclass for each maker. */
public abstract class TimerWorkload implements Workload {
    private static final int MANY = 100_000;

    private TimerWorkload() {}

    @Override
    public Map<String, Opener> works() {
        return Map.of(
                "one-live", stage -> SetAndCancel.open(clockwork(stage), 1, false),
                "many-live", stage -> SetAndCancel.open(clockwork(stage), MANY, true),
                "burst", stage -> Burst.open(clockwork(stage)),
                "lateness", stage -> Lateness.open(clockwork(stage)));
    }

    abstract Clockwork<?> clockwork(Stage stage) throws Exception;

    /** Ours. */
    public static final class Carillon extends TimerWorkload {
        /** For the worker. */
        public Carillon() {}

        @Override
        Clockwork<?> clockwork(Stage stage) throws Exception {
            return new CarillonTimers(stage);
        }
    }

    /** The JDK's. */
    public static final class Pool extends TimerWorkload {
        /** For the worker. */
        public Pool() {}

        @Override
        Clockwork<?> clockwork(Stage stage) throws Exception {
            return new PoolTimers(stage);
        }
    }

    /** Netty's. */
    public static final class Wheel extends TimerWorkload {
        /** For the worker. */
        public Wheel() {}

        @Override
        Clockwork<?> clockwork(Stage stage) {
            return new WheelTimers(stage);
        }
    }
}
