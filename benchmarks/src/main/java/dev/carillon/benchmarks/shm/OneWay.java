package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Work;
import java.io.IOException;
import java.time.Duration;

/**
 * Messages from this process to another one, from the first store to the last message's arrival. Both processes read the
 * same clock.
 */
final class OneWay implements Work {
    /** As many messages in a call that the compiler takes it as a whole, and few enough for every batch. */
    private static final int SMALL_CHUNK = 64;

    private static final int LARGE_CHUNK = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration WARM_UP = Duration.ofMillis(1_500);
    private static final int WARM_UP_ROUNDS = 100;
    private static final int WARM_UP_OPS = 20_000;
    private static final int LARGE_WARM_UP_OPS = 50;

    private final Traffic traffic;
    private final Outlet outlet;
    private final FarSide far;
    private final int chunk;
    private final Patience patience = new Patience(PATIENCE);
    private long next;

    private OneWay(Traffic traffic, Outlet outlet, FarSide far) {
        this.traffic = traffic;
        this.outlet = outlet;
        this.far = far;
        chunk = traffic.isSmall() ? SMALL_CHUNK : LARGE_CHUNK;
    }

    /** Opens both ends; the other process is there already. */
    static Work open(String name, Wire wire, Traffic traffic, FarSide far, Stage stage) throws Exception {
        Outlet outlet = wire.outlet(traffic);
        try {
            far.open(name, outlet.address(), stage.second());
            OneWay work = new OneWay(traffic, outlet, far);
            work.warmUp();
            return work;
        } catch (Exception e) {
            far.end();
            outlet.close();
            throw e;
        }
    }

    private void warmUp() throws Exception {
        int ops = traffic.isSmall() ? WARM_UP_OPS : LARGE_WARM_UP_OPS;
        long start = System.nanoTime();
        for (int i = 0; i < WARM_UP_ROUNDS && System.nanoTime() - start < WARM_UP.toNanos(); i++) {
            round(ops);
        }
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        figures.nanos(round(ops));
    }

    private long round(long ops) throws Exception {
        long first = next;
        far.await(ops);
        patience.begin();
        long start = System.nanoTime();
        for (long sent = 0; sent < ops; sent += chunk) {
            outlet.send(first + sent, (int) Math.min(chunk, ops - sent), patience);
        }
        next += ops;
        FarSide.Arrival arrival = far.arrival();
        long sum = traffic.sum(first, ops);
        if (arrival.sum() != sum || !arrival.inOrder()) {
            throw new IOException("messages were lost or changed: first=" + first + " count=" + ops + " sum="
                    + arrival.sum() + " must be " + sum + " inOrder=" + arrival.inOrder());
        }
        return arrival.nanos() - start;
    }

    @Override
    public void close() {
        try {
            far.close();
            outlet.close();
        } catch (Exception e) {
            throw new IllegalStateException("an end could not be closed", e);
        }
    }
}
