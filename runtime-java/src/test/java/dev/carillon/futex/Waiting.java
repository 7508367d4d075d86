package dev.carillon.futex;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.Interrupts;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.proc.TaskStat;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A thread that waits on a word. */
final class Waiting {
    final FutureTask<WaitResult> task;
    final Thread thread;

    Waiting(Callable<WaitResult> wait) {
        task = new FutureTask<>(wait);
        thread = new Waiter(task);
        thread.setDaemon(true);
        thread.start();
    }

    /** Whether a thread is in the call of the C library, and sleeps there: on its way it sees a change, and no wake. */
    static boolean isInKernel(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("futex"))
                && thread instanceof Waiter waiter
                && waiter.sleeps();
    }

    /** Knows its number, under which the kernel tells what it does. */
    private static final class Waiter extends Thread {
        private volatile int number;

        Waiter(Runnable task) {
            super(task, "waits on a word");
        }

        @Override
        public void run() {
            number = Sys.get().processes().threadId();
            super.run();
        }

        boolean sleeps() {
            return TaskStat.read("/proc/self/task/" + number)
                    .filter(task -> task.state() == 'S')
                    .isPresent();
        }
    }

    WaitResult result() throws Exception {
        return task.get(FutexContract.LIMIT.toSeconds(), SECONDS);
    }

    /** A change may also meet the moment in which a sleeper looks whether an interrupt came late. */
    void assertWoken() throws Exception {
        WaitResult result = result();
        if (!Interrupts.COME_LATE || result != WaitResult.VALUE_CHANGED) {
            assertEquals(WaitResult.WOKEN, result);
        }
    }

    Throwable failure() throws Exception {
        try {
            throw new AssertionError("it did not fail but gave " + result());
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }
}
