package dev.carillon.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the ends of children that no loop watches any more, as in the last moments of a VM, on a thread that lives as
 * long as there are some.
 *
 * <p>That thread waits in Java and not in the kernel, so it does not hold up the exit of the VM.
 *
 * <p><b>Threading:</b> any thread, under a lock that is never held while a child's is taken.
 */
// r[impl process.loop-end]
final class LastWatch {
    private static final long FIRST_PAUSE_MILLIS = 1;
    private static final long LONGEST_PAUSE_MILLIS = 50;
    private static final Object LOCK = new Object();
    private static final List<ChildWatch> CHILDREN = new ArrayList<>();
    private static @Nullable Thread thread;

    /** When it was new that somebody has to be looked after, the next look comes soon. */
    private static long pauseMillis;

    private LastWatch() {}

    /** Fails, with nothing changed, where no thread is to be had. */
    static void take(ChildWatch child) {
        synchronized (LOCK) {
            CHILDREN.add(child);
            pauseMillis = FIRST_PAUSE_MILLIS;
            if (thread != null) {
                LOCK.notifyAll();
                return;
            }
            boolean started = false;
            try {
                Thread fresh = new Thread(LastWatch::lookOnAndOn, "carillon-children");
                fresh.setDaemon(true);
                fresh.start();
                thread = fresh;
                started = true;
            } finally {
                if (!started) {
                    CHILDREN.remove(child);
                }
            }
        }
    }

    private static void lookOnAndOn() {
        boolean done = false;
        try {
            while (true) {
                done = isDone();
                if (done) {
                    return;
                }
                try {
                    lookAtAll();
                } catch (RuntimeException | Error fromCallback) {
                    tell(fromCallback);
                }
            }
        } finally {
            if (!done) {
                giveUp();
            }
        }
    }

    /** Not even the error could be told. The next child gets another thread, which looks after all. */
    private static void giveUp() {
        synchronized (LOCK) {
            thread = null;
        }
    }

    private static void lookAtAll() {
        List<ChildWatch> all;
        synchronized (LOCK) {
            all = List.copyOf(CHILDREN);
        }
        for (ChildWatch child : all) {
            boolean over = true;
            try {
                over = child.lookLast();
            } finally {
                // What a callback throws comes behind the end.
                if (over) {
                    forget(child);
                }
            }
        }
    }

    private static void forget(ChildWatch child) {
        synchronized (LOCK) {
            CHILDREN.remove(child);
        }
    }

    /** Pauses, unless nobody is left: then the thread ends, and the next child gets another one. */
    private static boolean isDone() {
        synchronized (LOCK) {
            if (CHILDREN.isEmpty()) {
                thread = null;
                return true;
            }
            try {
                long pause = pauseMillis;
                pauseMillis = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
                TimeUnit.MILLISECONDS.timedWait(LOCK, pause);
            } catch (InterruptedException nobodyElseMayStopIt) {
                return false;
            }
            return false;
        }
    }

    /** As a thread that ends by it does, but the others go on being looked after. */
    private static void tell(Throwable thrown) {
        Thread me = Thread.currentThread();
        me.getUncaughtExceptionHandler().uncaughtException(me, thrown);
    }
}
