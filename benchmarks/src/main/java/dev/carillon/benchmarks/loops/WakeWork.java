package dev.carillon.benchmarks.loops;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * From the post of a task to its run, by a loop that sleeps. In between the thread that posts sleeps a moment, so that the
 * loop does too; on one core it makes room right after the post.
 */
final class WakeWork implements Work {
    private static final long SETTLE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final int WARM_UPS = 40;
    private static final int WARM_UP_OPS = 100;

    private final TaskLoop loop;
    private final Runnable task = this::arrive;
    private Thread poster = Thread.currentThread();
    private long arrivedAt;
    private volatile boolean arrived;

    private WakeWork(TaskLoop loop) {
        this.loop = loop;
    }

    /** Opens it with a loop on the second side's core. */
    static Work open(TaskLoop.Maker maker, Stage stage) throws Exception {
        return WarmUp.rounds(new WakeWork(maker.startOnSecond(stage)), WARM_UPS, WARM_UP_OPS);
    }

    @Override
    public void round(long ops, Figures figures) throws TimeoutException {
        poster = Thread.currentThread();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TaskLoop.PATIENCE_SECONDS);
        for (long i = 0; i < ops; i++) {
            LockSupport.parkNanos(this, SETTLE_NANOS);
            arrived = false;
            long sent = System.nanoTime();
            loop.execute(task);
            while (!arrived) {
                LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
                if (System.nanoTime() - deadline > 0) {
                    throw new TimeoutException("a task did not run, after " + i + " that did");
                }
            }
            figures.nanos(arrivedAt - sent);
        }
    }

    private void arrive() {
        arrivedAt = System.nanoTime();
        arrived = true;
        LockSupport.unpark(poster);
    }

    @Override
    public void close() {
        loop.close();
    }
}
