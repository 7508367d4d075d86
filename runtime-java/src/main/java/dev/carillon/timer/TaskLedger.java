package dev.carillon.timer;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;

/**
 * The tasks of one executor, those that wait and those that run, and the end of that executor: it has ended when it was shut down and
 * none is left.
 *
 * <p><b>Threading:</b> any thread, under this object's lock. It calls no task.
 */
final class TaskLedger {
    /** A task, told apart by identity. */
    interface Task {
        /** What the user has given, for the list of those that never ran. */
        Runnable given();

        /** Whether it waits for its time, and not only for its turn. */
        boolean isTimed();

        /** Whether a shutdown ends it although it waits for its time. */
        boolean isPeriodic();

        /** Has it never run. It may call {@link #drop}. */
        void cancelTask();
    }

    private final Runnable onEnd;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** In the order in which they came, with whether they run. */
    private final Map<Task, Boolean> tasks = new LinkedHashMap<>();

    private boolean isShutdown;

    /** An open one; the action is called once, when it has ended. */
    TaskLedger(Runnable onEnd) {
        this.onEnd = onEnd;
    }

    /** Takes a task in, or refuses it. */
    synchronized void enter(Task task) {
        if (isShutdown) {
            throw new RejectedExecutionException(
                    "this executor was shut down, or its loop has ended, and takes no new task; make another one of a loop that runs");
        }
        tasks.put(task, false);
    }

    /** A task is about to run; false if it may not any more. */
    synchronized boolean begin(Task task) {
        return tasks.replace(task, false, true);
    }

    /** A task has run, and waits for its next time. */
    synchronized void pause(Task task) {
        tasks.replace(task, true, false);
    }

    /** A task has run for the last time, or never will. */
    void leave(Task task) {
        synchronized (this) {
            tasks.remove(task);
        }
        endIfEmpty();
    }

    /** A task is over; one that still runs leaves when it comes back. */
    void drop(Task task) {
        synchronized (this) {
            tasks.remove(task, false);
        }
        endIfEmpty();
    }

    /** From now on it refuses tasks, and periodic ones end. */
    void shutdown() {
        closed(false).stream().filter(Task::isPeriodic).forEach(Task::cancelTask);
        endIfEmpty();
    }

    /** From now on it refuses tasks, and those that wait for their time end. */
    void shutdownTimed() {
        closed(false).stream().filter(Task::isTimed).forEach(Task::cancelTask);
        endIfEmpty();
    }

    /** From now on it refuses tasks, and none begins to run any more; returns those that waited. */
    List<Runnable> shutdownNow() {
        List<Runnable> waited = new ArrayList<>();
        for (Task task : closed(true)) {
            waited.add(task.given());
            task.cancelTask();
        }
        shutdown();
        return waited;
    }

    /** Takes those that wait out, or leaves them. */
    private synchronized List<Task> closed(boolean takesOut) {
        isShutdown = true;
        if (!takesOut) {
            return List.copyOf(tasks.keySet());
        }
        List<Task> waiting = new ArrayList<>();
        for (Iterator<Map.Entry<Task, Boolean>> all = tasks.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Task, Boolean> task = all.next();
            if (!task.getValue()) {
                waiting.add(task.getKey());
                all.remove();
            }
        }
        return waiting;
    }

    private void endIfEmpty() {
        synchronized (this) {
            if (!isShutdown || !tasks.isEmpty() || ended.getCount() == 0) {
                return;
            }
            ended.countDown();
        }
        onEnd.run();
    }

    synchronized boolean isShutdown() {
        return isShutdown;
    }

    /** Open at the end. */
    CountDownLatch ended() {
        return ended;
    }
}
