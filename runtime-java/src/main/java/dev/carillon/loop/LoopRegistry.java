package dev.carillon.loop;

import dev.carillon.loop.queue.Chain;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The loops that are running, for the one hook that stops them when the VM exits.
 *
 * <p>HotSpot gives threads in native code 300 ms to come back before it exits. So the hook wakes all loops out of their poll
 * and keeps them from polling again. They need not end for that.
 *
 * <p><b>Threading:</b> any thread. A loop is in the list only from its start, or while a run method is on a stack, so the
 * list keeps no loop alive.
 */
// r[impl loop.exit]
final class LoopRegistry {
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final long LOOK_AGAIN_NANOS = 20_000;
    private static final Object LOCK = new Object();
    private static final Set<Hold> HOLDS = new HashSet<>();
    private static final Chain<Entry> RUNNING = new Chain<>();

    /** What the exit does, whatever the loops do: a loop that nobody runs is not in the list, and has no thread. */
    private static final Set<Runnable> TASKS = new LinkedHashSet<>();

    private static boolean hooked;

    /** Added as a hook and removed again, to see whether the VM exits. It does nothing where the exit comes in between. */
    private static final Thread PROBE = new Thread(() -> {}, "carillon-exit-probe");

    /** Set once. */
    private static boolean exiting;

    private LoopRegistry() {}

    /** Does what the first start of a loop would do first, while there is memory for it. */
    static void prepare() {
        synchronized (LOCK) {
            hook();
            exitHasBegun();
        }
    }

    static void add(Entry entry) {
        synchronized (LOCK) {
            if (entry.isListed) {
                return;
            }
            hook();
            if (!entry.ranBefore) {
                entry.ranBefore = true;
                entry.isOfTheExit = exitHasBegun();
            }
            entry.isListed = true;
            RUNNING.add(entry);
        }
    }

    static void remove(Entry entry) {
        synchronized (LOCK) {
            if (!entry.isListed) {
                return;
            }
            entry.isListed = false;
            RUNNING.remove(entry);
        }
    }

    /** The loops that the exit would stop. */
    static List<Entry> running() {
        synchronized (LOCK) {
            List<Entry> entries = new ArrayList<>();
            for (Entry entry = RUNNING.first(); entry != null; entry = RUNNING.after(entry)) {
                entries.add(entry);
            }
            return entries;
        }
    }

    private static void hook() {
        if (!hooked) {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(LoopRegistry::stopAll, "carillon-loop-exit"));
            } catch (IllegalStateException exitsAlready) {
                // No loop ran before the exit, so there is none to stop.
                LoopLog.debug("A loop was started while the VM exits", exitsAlready);
            }
            // Last: the next one tries again where there was no memory for it.
            hooked = true;
        }
    }

    /**
     * Shutdown hooks run at the same time, in no order. A loop that runs for the first time during them belongs to one of
     * them; without this question, chance would decide whether the exit stops it. The VM reveals that it exits only to a
     * caller that adds a hook.
     */
    private static boolean exitHasBegun() {
        if (!exiting) {
            try {
                Runtime.getRuntime().addShutdownHook(PROBE);
                Runtime.getRuntime().removeShutdownHook(PROBE);
            } catch (IllegalStateException exits) {
                exiting = true;
            }
        }
        return exiting;
    }

    static ExitHold hold(Duration atMost) {
        Hold hold = new Hold(Deadlines.after(System.nanoTime(), atMost));
        synchronized (LOCK) {
            hook();
            HOLDS.add(hold);
        }
        return hold;
    }

    /** Does something once at the exit, in the thread of the hook; where that hook has acted already, never. */
    static void addTask(Runnable task) {
        synchronized (LOCK) {
            hook();
            TASKS.add(task);
        }
    }

    static void removeTask(Runnable task) {
        synchronized (LOCK) {
            TASKS.remove(task);
        }
    }

    private static void stopAll() {
        awaitHolds();
        List<AtExit> all = reachedByTheExit();
        List<AtExit> loops = all.stream().filter(loop -> !loop.goesOn()).toList();
        try {
            endAll(all, loops);
        } finally {
            runTasks();
        }
        // A callback of one of them may be what called exit, so that this loop never ends.
        loops.forEach(AtExit::tellServices);
    }

    private static void endAll(List<AtExit> all, List<AtExit> loops) {
        loops.forEach(AtExit::endNow);
        all.stream().filter(AtExit::goesOn).forEach(AtExit::blockNoMore);
        long deadline = System.nanoTime() + LONGEST.toNanos();
        for (AtExit loop : all) {
            while (loop.isBlockedInPoll() && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    /** One by one, since others are added and removed meanwhile. */
    private static void runTasks() {
        Runnable task;
        while ((task = nextTask()) != null) {
            try {
                task.run();
            } catch (Throwable thrown) {
                LoopLog.report("A task of the exit failed: {}", task, thrown);
            }
        }
    }

    private static @Nullable Runnable nextTask() {
        synchronized (LOCK) {
            Iterator<Runnable> tasks = TASKS.iterator();
            if (!tasks.hasNext()) {
                return null;
            }
            Runnable first = tasks.next();
            tasks.remove();
            return first;
        }
    }

    private static List<AtExit> reachedByTheExit() {
        synchronized (LOCK) {
            List<AtExit> loops = new ArrayList<>();
            for (Entry entry : running()) {
                if (!entry.isOfTheExit) {
                    entry.isEndedByExit = !entry.loop.goesOn();
                    loops.add(entry.loop);
                }
            }
            return loops;
        }
    }

    private static void awaitHolds() {
        synchronized (LOCK) {
            while (!HOLDS.isEmpty()) {
                long now = System.nanoTime();
                HOLDS.removeIf(hold -> hold.deadline - now <= 0);
                long left = HOLDS.stream()
                        .mapToLong(hold -> hold.deadline - now)
                        .min()
                        .orElse(0);
                try {
                    TimeUnit.NANOSECONDS.timedWait(LOCK, left);
                } catch (InterruptedException stopWaiting) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    /** What the exit does with a loop. <b>Threading:</b> any thread. */
    interface AtExit {
        /** Whether it goes on until the process has ended. */
        boolean goesOn();

        /** Keeps a loop that goes on from blocking in native code. */
        void blockNoMore();

        /** Asks the loop to stop, and keeps it from blocking again. */
        void endNow();

        /** Whether its thread blocks in native code. */
        boolean isBlockedInPoll();

        /** Calls {@link LoopService#onExit} of its services, if it has not ended by now. */
        void tellServices();
    }

    /** A loop's place in the list, made once per loop. */
    static final class Entry extends Chain.Link {
        private final AtExit loop;
        private boolean isListed;
        private boolean ranBefore;

        /** Whether its first run began when the VM was exiting already: only its owner stops it. */
        private boolean isOfTheExit;

        private volatile boolean isEndedByExit;

        Entry(AtExit loop) {
            this.loop = loop;
        }

        boolean isEndedByExit() {
            return isEndedByExit;
        }
    }

    private static final class Hold implements ExitHold {
        private final long deadline;

        Hold(long deadline) {
            this.deadline = deadline;
        }

        @Override
        public void close() {
            synchronized (LOCK) {
                HOLDS.remove(this);
                LOCK.notifyAll();
            }
        }
    }
}
