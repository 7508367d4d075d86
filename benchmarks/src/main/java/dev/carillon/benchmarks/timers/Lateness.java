package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long after its time a timer of 0.5 to 1.5 ms runs, on a thread that has nothing else to do. */
final class Lateness<T> implements Work {
    private static final long SHORTEST = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long STEP = TimeUnit.MICROSECONDS.toNanos(37);
    private static final long SPREAD = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int WARM_UPS = 10;
    private static final int WARM_UP_OPS = 20;
    private static final long PATIENCE_SECONDS = 10;

    private final Clockwork<T> clockwork;
    private final Semaphore done = new Semaphore(0);
    private long delay = SHORTEST;
    private long due;
    private long late;

    private Lateness(Clockwork<T> clockwork) {
        this.clockwork = clockwork;
    }

    static <T> Work open(Clockwork<T> clockwork) throws Exception {
        return WarmUp.rounds(new Lateness<>(clockwork), WARM_UPS, WARM_UP_OPS);
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        for (long i = 0; i < ops; i++) {
            clockwork.run(this::set);
            if (!done.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new TimeoutException("a timer of " + delay + " ns did not run in " + PATIENCE_SECONDS + " s");
            }
            figures.nanos(late);
        }
    }

    private void set() {
        delay = SHORTEST + (delay + STEP) % SPREAD;
        due = System.nanoTime() + delay;
        clockwork.set(delay, this::ring);
    }

    private void ring() {
        late = System.nanoTime() - due;
        done.release();
    }

    @Override
    public void close() {
        clockwork.close();
    }
}
