package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Sets many timers at once, then cancels all of them in the same order. */
final class Burst<T> implements Work {
    private static final long SHORTEST = TimeUnit.SECONDS.toNanos(600);
    private static final long SPREAD = TimeUnit.SECONDS.toNanos(600);
    private static final int WARM_UPS = 20;
    private static final int WARM_UP_OPS = 10_000;
    private static final long SEED = 42;

    private final Clockwork<T> clockwork;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<T> open = new ArrayList<>();
    private final Runnable task = this::ranOut;

    private Burst(Clockwork<T> clockwork) {
        this.clockwork = clockwork;
    }

    static <T> Work open(Clockwork<T> clockwork) throws Exception {
        return WarmUp.rounds(new Burst<>(clockwork), WARM_UPS, WARM_UP_OPS);
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        clockwork.run(() -> {
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                open.add(clockwork.set(SHORTEST + random.nextLong(SPREAD), task));
            }
            open.forEach(clockwork::cancel);
            figures.nanos(System.nanoTime() - start);
            open.clear();
        });
    }

    private void ranOut() {
        throw new IllegalStateException("a timer of ten minutes ran out: a round cannot take that long");
    }

    @Override
    public void close() {
        clockwork.close();
    }
}
