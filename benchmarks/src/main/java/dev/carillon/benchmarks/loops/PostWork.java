package dev.carillon.benchmarks.loops;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Threads that post as fast as they can to a loop on the other core: from the moment when all are ready to the run of the
 * last task.
 */
final class PostWork implements Work {
    private static final int WARM_UPS = 40;
    private static final long WARM_UP_OPS = 4000;

    private final TaskLoop loop;
    private final int producers;
    private final ExecutorService threads;
    private final CyclicBarrier ready;
    private final Semaphore done = new Semaphore(0);
    private final Countdown countdown = new Countdown(done);
    private long started;

    private PostWork(TaskLoop loop, int producers, Stage stage) {
        this.loop = loop;
        this.producers = producers;
        ready = new CyclicBarrier(producers, () -> started = System.nanoTime());
        threads = Executors.newFixedThreadPool(
                producers,
                body -> new Thread(() -> {
                    stage.pinSecond();
                    body.run();
                }));
    }

    /** Opens it with so many threads that post, all on the second side's core. */
    static Work open(TaskLoop.Maker maker, int producers, Stage stage) throws Exception {
        return WarmUp.rounds(new PostWork(maker.startOnFirst(stage), producers, stage), WARM_UPS, WARM_UP_OPS);
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        long share = Math.max(1, ops / producers);
        countdown.begin(share * producers);
        List<Future<?>> posting = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            posting.add(threads.submit(() -> {
                ready.await();
                post(share);
                return null;
            }));
        }
        for (Future<?> future : posting) {
            future.get(TaskLoop.PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        if (!done.tryAcquire(TaskLoop.PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException("of " + share * producers + " tasks " + countdown.left() + " did not run");
        }
        figures.nanos(countdown.finished() - started);
    }

    private void post(long share) {
        TaskLoop to = loop;
        Runnable task = countdown;
        for (long i = 0; i < share; i++) {
            to.execute(task);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        loop.close();
    }
}
