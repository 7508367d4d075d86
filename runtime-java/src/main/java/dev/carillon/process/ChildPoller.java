package dev.carillon.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the ends of what no loop watches: of children, as in the last moments of a VM, and of groups that outlive their
 * leaders, of which the kernel tells nobody. It does so on a thread that lives as long as there are some.
 *
 * <p>That thread waits in Java and not in the kernel, so it does not hold up the exit of the VM.
 *
 * <p><b>Threading:</b> any thread, under a lock that is never held while a child's is taken.
 */
// r[impl process.loop-end]
final class ChildPoller {
    /** Somebody waits for these ends. */
    static final ChildPoller CHILDREN = new ChildPoller("carillon-children", 50);

    /** With these ends only a descriptor is let go of. A group may go on for days, so the looks for it become rare. */
    static final ChildPoller GROUPS = new ChildPoller("carillon-groups", 1_000);

    private static final long FIRST_PAUSE_MILLIS = 1;

    private final Object lock = new Object();
    private final String name;
    private final long longestPauseMillis;

    /** One for each child: looks for its end, and says whether it has come. */
    private final List<BooleanSupplier> looks = new ArrayList<>();

    private @Nullable Thread thread;

    /** Begins anew with each child that comes, so that the first look for it comes soon. */
    private long pauseMillis;

    private ChildPoller(String name, long longestPauseMillis) {
        this.name = name;
        this.longestPauseMillis = longestPauseMillis;
    }

    /** Looks at all soon: one of them is known to have ended, and its thread should not linger. */
    void lookSoon() {
        synchronized (lock) {
            pauseMillis = FIRST_PAUSE_MILLIS;
            lock.notifyAll();
        }
    }

    /**
     * Looks for the end of a child until it has come. If no thread can be started, this fails, and nothing has changed.
     *
     * @param look looks once; whether the end has come
     */
    void take(BooleanSupplier look) {
        synchronized (lock) {
            looks.add(look);
            pauseMillis = FIRST_PAUSE_MILLIS;
            if (thread != null) {
                lock.notifyAll();
                return;
            }
            boolean started = false;
            try {
                Thread fresh = new Thread(this::lookOnAndOn, name);
                fresh.setDaemon(true);
                fresh.start();
                thread = fresh;
                started = true;
            } finally {
                if (!started) {
                    looks.remove(look);
                }
            }
        }
    }

    private void lookOnAndOn() {
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
    private void giveUp() {
        synchronized (lock) {
            thread = null;
        }
    }

    private void lookAtAll() {
        List<BooleanSupplier> all;
        synchronized (lock) {
            all = List.copyOf(looks);
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

    private void forget(BooleanSupplier look) {
        synchronized (lock) {
            looks.remove(look);
        }
    }

    /** Pauses, unless no child is left: then the thread ends, and the next child gets another one. */
    private boolean isDone() {
        synchronized (lock) {
            if (looks.isEmpty()) {
                thread = null;
                return true;
            }
            try {
                long pause = pauseMillis;
                pauseMillis = Math.min(2 * pause, longestPauseMillis);
                TimeUnit.MILLISECONDS.timedWait(lock, pause);
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
