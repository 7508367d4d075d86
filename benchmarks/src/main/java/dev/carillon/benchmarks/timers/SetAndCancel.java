package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Timers that never run out, as timeouts of requests that are answered: each is set, and cancelled after so many others
 * were set.
 */
final class SetAndCancel<T> implements Work {
    private static final long SHORTEST = TimeUnit.SECONDS.toNanos(600);
    private static final long SPREAD = TimeUnit.SECONDS.toNanos(600);
    private static final int WARM_UPS = 40;
    private static final int WARM_UP_OPS = 5000;
    private static final int DELAYS = 1 << 16;
    private static final long SEED = 42;

    private final Clockwork<T> clockwork;
    private final T[] open;
    private final long[] delays;
    private final Runnable task = this::ranOut;
    private int next;

    @SuppressWarnings("unchecked")
    private SetAndCancel(Clockwork<T> clockwork, int live, boolean spread) {
        this.clockwork = clockwork;
        open = (T[]) new Object[live];
        SplittableRandom random = new SplittableRandom(SEED);
        delays = random.longs(DELAYS)
                .map(any -> SHORTEST + (spread ? Math.floorMod(any, SPREAD) : 0))
                .toArray();
    }

    /** Opens it with so many timers that live at any time, all with one delay or with delays from 10 to 20 minutes. */
    static <T> Work open(Clockwork<T> clockwork, int live, boolean spread) throws Exception {
        SetAndCancel<T> work = new SetAndCancel<>(clockwork, live, spread);
        clockwork.run(work::fill);
        return WarmUp.rounds(work, WARM_UPS, WARM_UP_OPS);
    }

    private void fill() {
        for (int i = 0; i < open.length; i++) {
            open[i] = clockwork.set(delays[i % DELAYS], task);
        }
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        clockwork.run(() -> {
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                replace();
            }
            figures.nanos(System.nanoTime() - start);
        });
    }

    private void replace() {
        int at = next;
        next = at + 1 == open.length ? 0 : at + 1;
        clockwork.cancel(open[at]);
        open[at] = clockwork.set(delays[at % DELAYS], task);
    }

    private void ranOut() {
        throw new IllegalStateException("a timer of ten minutes ran out: a round cannot take that long");
    }

    @Override
    public void close() {
        clockwork.close();
    }
}
