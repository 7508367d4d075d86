package dev.carillon.benchmarks.loops;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The JDK's ScheduledThreadPoolExecutor with one thread. */
public final class PoolLoop implements TaskLoop {
    private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);

    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
