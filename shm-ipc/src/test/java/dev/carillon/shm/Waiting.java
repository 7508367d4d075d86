package dev.carillon.shm;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.carillon.test.Deadline;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** A thread that waits on a link. */
final class Waiting<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    private Waiting(Callable<T> wait) {
        task = new FutureTask<>(wait);
        thread = new Thread(task, "waits on a link");
        thread.setDaemon(true);
        thread.start();
    }

    static <T> Waiting<T> on(Callable<T> wait) {
        return new Waiting<>(wait);
    }

    /** In the call of the C library, or parked where a kernel has no futexes. */
    void awaitAsleep() {
        Deadline.after(LinkPair.LIMIT)
                .await(
                        "it sleeps",
                        () -> Arrays.stream(thread.getStackTrace())
                                .anyMatch(frame -> frame.getMethodName().equals("futex")
                                        || frame.getMethodName().equals("parkNanos")));
    }

    boolean isOver() {
        return task.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }

    T result() throws Exception {
        return task.get(LinkPair.LIMIT.toSeconds(), SECONDS);
    }

    /** What it failed with, or null. */
    @Nullable
    Throwable ended() throws Exception {
        try {
            result();
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** What it returned; null also if it failed. */
    @Nullable
    T resultIfAny() throws Exception {
        try {
            return result();
        } catch (ExecutionException e) {
            return null;
        }
    }
}
