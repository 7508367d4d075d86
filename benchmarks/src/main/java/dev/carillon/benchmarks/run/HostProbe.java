package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.stats.HostState;
import dev.carillon.benchmarks.worker.Affinity;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Looks at the host between rounds: how long a cache line takes to the other core and back, and how long a fixed
 * arithmetic loop takes.
 *
 * <p><b>Threading</b>: the probe has two daemon threads of its own, each kept on its core. The caller's thread stays
 * free, because processes that it starts would inherit its core.
 */
final class HostProbe implements AutoCloseable {
    private static final int ROUND_TRIPS = 5_000;
    private static final int LOOP_STEPS = 1_000_000;
    private static final int WARM_UPS = 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ExecutorService first = Executors.newSingleThreadExecutor(HostProbe::daemon);
    private final ExecutorService second = Executors.newSingleThreadExecutor(HostProbe::daemon);
    private final boolean two;
    private final AtomicLong line = new AtomicLong();
    /** Kept from loop to loop, so that the compiler can drop none. */
    private volatile long lastValue = 1;

    /** Starts the probe's threads and lets the compiler see its loops. */
    HostProbe(Cores cores) throws RunFailure {
        two = cores.two();
        await(first.submit(() -> Affinity.pin(cores.first())));
        await(second.submit(() -> Affinity.pin(cores.second())));
        for (int i = 0; i < WARM_UPS; i++) {
            look();
        }
    }

    HostState look() throws RunFailure {
        double loop = await(first.submit(this::loop));
        return new HostState(two ? spin() : Double.NaN, loop);
    }

    @Override
    public void close() {
        first.shutdownNow();
        second.shutdownNow();
    }

    private double loop() {
        long value = lastValue;
        long start = System.nanoTime();
        for (int i = 0; i < LOOP_STEPS; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
        }
        double nanos = System.nanoTime() - start;
        lastValue = value;
        return nanos;
    }

    private double spin() throws RunFailure {
        line.set(0);
        CountDownLatch ready = new CountDownLatch(1);
        Future<Double> echo = second.submit(() -> {
            ready.countDown();
            return bounce(1);
        });
        Future<Double> call = first.submit(() -> {
            if (!ready.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
                throw new TimeoutException("the probe's other thread did not start");
            }
            return bounce(0);
        });
        await(echo);
        return await(call) / ROUND_TRIPS;
    }

    /** Adds one whenever the number on the line is this side's: even or odd. */
    private double bounce(int side) throws TimeoutException {
        long start = System.nanoTime();
        long deadline = start + PATIENCE_NANOS;
        for (long mine = side; mine < 2L * ROUND_TRIPS; mine += 2) {
            for (int looks = 1; line.get() != mine; looks++) {
                if (looks % 4096 == 0 && System.nanoTime() - deadline > 0) {
                    throw new TimeoutException("the probe's other thread got no core for "
                            + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
                }
                Thread.onSpinWait();
            }
            line.set(mine + 1);
        }
        return System.nanoTime() - start;
    }

    private static <T> T await(Future<T> future) throws RunFailure {
        try {
            return future.get(2 * PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new RunFailure("the probe of the host's state failed: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted while probing the host's state", e);
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "bench-probe");
        thread.setDaemon(true);
        return thread;
    }
}
