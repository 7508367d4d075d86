package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.worker.Stage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The JDK's pool with one thread, set to forget what is cancelled: it would keep all of it until its time. */
final class PoolTimers implements Clockwork<ScheduledFuture<?>> {
    private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);

    PoolTimers(Stage stage) throws Exception {
        pool.setRemoveOnCancelPolicy(true);
        pool.submit(stage::pinFirst).get();
    }

    @Override
    public void run(Runnable body) {
        body.run();
    }

    @Override
    public ScheduledFuture<?> set(long delayNanos, Runnable task) {
        return pool.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void cancel(ScheduledFuture<?> timer) {
        timer.cancel(false);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
