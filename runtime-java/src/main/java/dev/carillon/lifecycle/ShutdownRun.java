package dev.carillon.lifecycle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one shutdown, one after the other, on one thread.
 *
 * <p>States: RUNNING -> DONE, after its last step; RUNNING -> CUT, when its time is over: the step that runs is interrupted,
 * and none is begun any more. A step that calls {@code System.exit} never returns; another thread goes on behind it.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl life.shutdown]
final class ShutdownRun {
    private static final long STAYS_SECONDS = 10;

    private final Deque<Steps.Step> left;
    private final Runnable whenDone;
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch decided = new CountDownLatch(1);
    private @Nullable Thread runner;
    private Steps.@Nullable Step running;
    private boolean isCut;

    /**
     * One that has not begun.
     *
     * @param whenDone called when the last step has returned, unless it was cut
     */
    ShutdownRun(List<Steps.Step> steps, Runnable whenDone) {
        left = new ArrayDeque<>(steps);
        this.whenDone = whenDone;
    }

    /** Begins on a thread of its own, which keeps the VM from ending before. */
    void start(Runnable first) {
        Thread thread = new Thread(() -> run(first), "carillon-shutdown");
        thread.setDaemon(false);
        synchronized (this) {
            runner = thread;
        }
        thread.start();
    }

    private void run(Runnable first) {
        first.run();
        Steps.Step step;
        while ((step = next()) != null) {
            call(step);
        }
        if (finish()) {
            whenDone.run();
        }
        stayUntilTheEndIsDecided();
    }

    /**
     * Where this is the last thread that keeps the VM alive, as a server's threads have ended in the steps, the VM would end by
     * itself, with 0, before the loop has begun the exit with the right code.
     */
    private void stayUntilTheEndIsDecided() {
        boolean isDecided = false;
        while (!isDecided) {
            try {
                decided.await(STAYS_SECONDS, TimeUnit.SECONDS);
                isDecided = true;
            } catch (InterruptedException cut) {
                isDecided = decided.getCount() == 0;
            }
        }
    }

    /** The exit has begun, or there will be none. */
    void endIsDecided() {
        decided.countDown();
    }

    private synchronized Steps.@Nullable Step next() {
        running = isCut || runner != Thread.currentThread() ? null : left.poll();
        return running;
    }

    private static void call(Steps.Step step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            LifecycleLog.hookFailed(step.name(), thrown);
        }
    }

    private synchronized boolean finish() {
        if (isCut || runner != Thread.currentThread()) {
            return false;
        }
        over.countDown();
        return true;
    }

    /** Its time is over. Returns what was not done to its end, the step that runs first; null if it was done already. */
    synchronized @Nullable List<String> cut() {
        if (over.getCount() == 0) {
            return null;
        }
        isCut = true;
        List<String> undone = new ArrayList<>();
        if (running != null) {
            undone.add(running.name());
        }
        left.forEach(step -> undone.add(step.name()));
        if (runner != null) {
            runner.interrupt();
        }
        over.countDown();
        return undone;
    }

    /** Waits until it is over, one way or the other; false if the time was over first. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return over.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** The step that has called {@code System.exit}, and thereby waits for itself: another thread takes over; null if none. */
    synchronized @Nullable String passOverExit() {
        Thread stuck = runner;
        if (stuck == null || isCut || !isInExit(stuck)) {
            return null;
        }
        String name = running == null ? "a signal handler" : running.name();
        start(() -> {});
        return name;
    }

    private static boolean isInExit(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().equals("java.lang.Shutdown")) {
                return true;
            }
        }
        return false;
    }
}
