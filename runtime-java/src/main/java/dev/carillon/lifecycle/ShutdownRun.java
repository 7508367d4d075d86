package dev.carillon.lifecycle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one shutdown, one after the other, on one thread. At once, and on a thread of their own, those are told who
 * wait for the beginning of the shutdown; the first step begins when that has been done, and the handlers of the signal have
 * returned.
 *
 * <p>States: RUNNING -> DONE, after its last step; RUNNING -> CUT, when its time is over: the step that runs is interrupted,
 * and none is begun any more. None begins either when the time is over and the cut is still to come. A step that calls
 * {@code System.exit} never returns; another thread goes on behind it.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl life.shutdown]
final class ShutdownRun {
    private static final long STAYS_SECONDS = 10;

    /** What comes before the steps, in the log. */
    private static final String HANDLERS = "the handlers of the signal";

    private static final String THOSE_WHO_WAIT = "those who wait for the shutdown";

    private final Deque<Steps.Step> left;
    private final BooleanSupplier hasTime;
    private final Runnable whenDone;
    private final LifecycleLog log;
    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch decided = new CountDownLatch(1);
    private @Nullable Thread runner;
    private @Nullable Thread teller;
    private Steps.@Nullable Step running;
    private boolean hasCalledHandlers;
    private boolean isCut;

    /**
     * One that has not begun.
     *
     * @param hasTime whether its time is not over yet
     * @param whenDone called when the last step has returned, unless it was cut
     */
    ShutdownRun(List<Steps.Step> steps, BooleanSupplier hasTime, Runnable whenDone, LifecycleLog log) {
        left = new ArrayDeque<>(steps);
        this.hasTime = hasTime;
        this.whenDone = whenDone;
        this.log = log;
    }

    /**
     * Begins on threads of its own, which keep the VM from ending before.
     *
     * @param tell tells those who wait for the beginning
     * @param handlers calls those of the signal
     */
    void start(Runnable tell, Runnable handlers) {
        begin(() -> {
            if (beginToTell(tell)) {
                handlers.run();
                awaitTold();
            }
        });
    }

    private void begin(Runnable first) {
        Thread thread = new Thread(() -> run(first), "carillon-shutdown");
        thread.setDaemon(false);
        synchronized (this) {
            runner = thread;
        }
        thread.start();
    }

    /** Whether there was time for it: one that is cut before its thread has run begins nothing. */
    // r[impl life.cancellation]
    private boolean beginToTell(Runnable tell) {
        Runnable telling = () -> {
            try {
                tell.run();
            } finally {
                told.countDown();
            }
        };
        Thread thread = new Thread(telling, "carillon-shutdown-begun");
        thread.setDaemon(true);
        synchronized (this) {
            if (isCut) {
                return false;
            }
            teller = thread;
        }
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            telling.run();
        }
        return true;
    }

    private void awaitTold() {
        synchronized (this) {
            hasCalledHandlers = true;
        }
        try {
            told.await();
        } catch (InterruptedException cut) {
            Thread.currentThread().interrupt();
        }
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
        running = isMine() && hasTime.getAsBoolean() ? left.poll() : null;
        return running;
    }

    /** Whether this thread is to go on. */
    private boolean isMine() {
        return !isCut && runner == Thread.currentThread();
    }

    private void call(Steps.Step step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            log.hookFailed(step.name(), thrown);
        }
    }

    private synchronized boolean finish() {
        if (!isMine() || !left.isEmpty()) {
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
        if (!hasCalledHandlers) {
            undone.add(HANDLERS);
        }
        boolean areTold = told.getCount() == 0;
        if (!areTold) {
            undone.add(THOSE_WHO_WAIT);
        }
        if (running != null) {
            undone.add(running.name());
        }
        left.forEach(step -> undone.add(step.name()));
        over.countDown();
        if (teller != null && !areTold) {
            Threads.interrupt(teller);
        }
        if (runner != null) {
            Threads.interrupt(runner);
        }
        return undone;
    }

    /** Waits until it is over, one way or the other; false if the time was over first. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return over.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Waits until the end is decided, and has begun if there is one; false if the time was over first. */
    boolean awaitDecision(long nanos) throws InterruptedException {
        return decided.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** The step that has called {@code System.exit}, and thereby waits for itself: another thread takes over; null if none. */
    synchronized @Nullable String passOverExit() {
        Thread telling = teller;
        if (told.getCount() > 0 && telling != null && isInExit(telling)) {
            told.countDown();
            return THOSE_WHO_WAIT;
        }
        Thread stuck = runner;
        if (stuck == null || isCut || !isInExit(stuck)) {
            return null;
        }
        String name = running == null ? HANDLERS : running.name();
        begin(hasCalledHandlers ? () -> {} : this::awaitTold);
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
