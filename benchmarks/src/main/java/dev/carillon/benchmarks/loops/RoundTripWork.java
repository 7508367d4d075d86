package dev.carillon.benchmarks.loops;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Two loops that post to each other in turns, each sleeping while the other one runs. */
final class RoundTripWork implements Work {
    private static final int WARM_UPS = 40;
    private static final int WARM_UP_OPS = 200;

    private final TaskLoop here;
    private final TaskLoop there;
    private final Runnable ping = this::ping;
    private final Runnable pong = this::pong;
    private final Semaphore done = new Semaphore(0);

    // Of the loop that runs; the posts carry them over.
    private long left;
    private long finished;

    private RoundTripWork(TaskLoop here, TaskLoop there) {
        this.here = here;
        this.there = there;
    }

    /** Opens it with a loop on each side. */
    static Work open(TaskLoop.Maker maker, Stage stage) throws Exception {
        RoundTripWork work = new RoundTripWork(maker.startOnFirst(stage), maker.startOnSecond(stage));
        return WarmUp.rounds(work, WARM_UPS, WARM_UP_OPS);
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        left = ops;
        long start = System.nanoTime();
        here.execute(ping);
        if (!done.tryAcquire(TaskLoop.PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException("of " + ops + " round trips " + left + " were not made");
        }
        figures.nanos(finished - start);
    }

    private void ping() {
        if (left-- > 0) {
            there.execute(pong);
        } else {
            finished = System.nanoTime();
            done.release();
        }
    }

    private void pong() {
        here.execute(ping);
    }

    @Override
    public void close() {
        here.close();
        there.close();
    }
}
