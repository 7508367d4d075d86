package dev.carillon.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
final class ChildPoller {
    private static final long FIRST_PAUSE_MILLIS = 1;
    private static final long LONGEST_PAUSE_MILLIS = 50;
    private static final Object LOCK = new Object();

    /** One for each child: looks for its end, and says whether it has come. */
    private static final List<BooleanSupplier> LOOKS = new ArrayList<>();

    private static @Nullable Thread thread;

    /** Begins anew with each child that comes, so that the first look for it comes soon. */
    private static long pauseMillis;

    private ChildPoller() {}

    /**
     * Looks for the end of a child until it has come. If no thread can be started, this fails, and nothing has changed.
     *
     * @param look looks once; whether the end has come
     */
    static void take(BooleanSupplier look) {
        synchronized (LOCK) {
            LOOKS.add(look);
            pauseMillis = FIRST_PAUSE_MILLIS;
            if (thread != null) {
                LOCK.notifyAll();
                return;
            }
            boolean started = false;
            try {
                Thread fresh = new Thread(ChildPoller::lookOnAndOn, "carillon-children");
                fresh.setDaemon(true);
                fresh.start();
                thread = fresh;
                started = true;
            } finally {
                if (!started) {
                    LOOKS.remove(look);
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
                    report(fromCallback);
                }
            }
        } finally {
            if (!done) {
                giveUp();
            }
        }
    }

    /** The thread dies, since not even the error could be reported. The next child gets another thread, which looks for all. */
    private static void giveUp() {
        synchronized (LOCK) {
            thread = null;
        }
    }

    private static void lookAtAll() {
        List<BooleanSupplier> all;
        synchronized (LOCK) {
            all = List.copyOf(LOOKS);
        }
        for (BooleanSupplier look : all) {
            boolean over = true;
            try {
                over = look.getAsBoolean();
            } finally {
                // What a callback throws comes behind the end.
                if (over) {
                    forget(look);
                }
            }
        }
    }

    private static void forget(BooleanSupplier look) {
        synchronized (LOCK) {
            LOOKS.remove(look);
        }
    }

    /** Pauses, unless no child is left: then the thread ends, and the next child gets another one. */
    private static boolean isDone() {
        synchronized (LOCK) {
            if (LOOKS.isEmpty()) {
                thread = null;
                return true;
            }
            try {
                long pause = pauseMillis;
                pauseMillis = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
                TimeUnit.MILLISECONDS.timedWait(LOCK, pause);
            } catch (InterruptedException nothingStopsIt) {
                return false;
            }
            return false;
        }
    }

    /** Reports it as a thread that dies of it does, but goes on for the other children. */
    private static void report(Throwable thrown) {
        Thread me = Thread.currentThread();
        me.getUncaughtExceptionHandler().uncaughtException(me, thrown);
    }
}
