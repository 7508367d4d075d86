package dev.carillon.benchmarks.loops;

import dev.carillon.benchmarks.worker.Stage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One thread that runs what others post; sleeps when there is nothing. A process has one kind only. */
public interface TaskLoop extends Executor, AutoCloseable {
    /** No task of a benchmark takes as long, also on a machine that does other things beside. */
    long PATIENCE_SECONDS = 60;

    @Override
    void close();

    /** Makes a loop, started. */
    @FunctionalInterface
    interface Maker {
        /**
         * Makes a loop.
         *
         * @throws UnsupportedOperationException if this host can't run it
         */
        TaskLoop start();

        /** Makes a loop whose thread is on the first side's core. */
        default TaskLoop startOnFirst(Stage stage) throws Exception {
            return placed(start(), stage::pinFirst);
        }

        /** Makes a loop whose thread is on the second side's core. */
        default TaskLoop startOnSecond(Stage stage) throws Exception {
            return placed(start(), stage::pinSecond);
        }
    }

    /** Runs something on the loop and waits for it. */
    static void runOn(Executor loop, Runnable task) throws InterruptedException, TimeoutException {
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(() -> {
            task.run();
            done.countDown();
        });
        if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException("a task did not come back from " + loop + " in " + PATIENCE_SECONDS + " s");
        }
    }

    private static TaskLoop placed(TaskLoop loop, Runnable pin) throws Exception {
        runOn(loop, pin);
        return loop;
    }
}
