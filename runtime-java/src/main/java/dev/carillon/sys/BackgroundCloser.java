package dev.carillon.sys;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Closes descriptors that another process may have prepared, on threads of its own.
 *
 * <p>The last close of a socket with SO_LINGER waits until its bytes are sent, for as long as the process
 * that set the option likes, and each close of a file of FUSE waits for the program behind it. A loop that closes what a stranger passed
 * would stand still meanwhile.
 *
 * <p>The threads are daemons, start when there is something to close, and end soon after.
 *
 * <p><b>Threading:</b> any thread; nothing here waits.
 *
 * <p><b>See:</b> SO_LINGER in socket(7), SCM_RIGHTS in unix(7).
 */
public final class BackgroundCloser {
    /** So many closes may be stuck before others wait for them. */
    private static final int MAX_THREADS = 16;

    private static final int STACK = 256 * 1024;
    private static final long IDLE_MILLIS = 1_000;

    /** Guards itself and the two counts. */
    private static final Deque<Runnable> WORK = new ArrayDeque<>();

    private static int threads;
    private static int idle;

    private BackgroundCloser() {}

    /** Runs something soon that may block, and that throws nothing. */
    public static void run(Runnable closing) {
        synchronized (WORK) {
            WORK.add(closing);
            if (idle >= WORK.size() || threads == MAX_THREADS) {
                WORK.notify();
                return;
            }
            threads++;
        }
        boolean started = false;
        try {
            Thread thread = new Thread(null, BackgroundCloser::work, "carillon-closer", STACK, false);
            thread.setDaemon(true);
            thread.start();
            started = true;
        } finally {
            if (!started) {
                // Without memory for a thread: a close that waits is better than a descriptor that leaks.
                work();
            }
        }
    }

    private static void work() {
        boolean hasEnded = false;
        try {
            Runnable next;
            while ((next = next()) != null) {
                next.run();
            }
            hasEnded = true;
        } finally {
            if (!hasEnded) {
                // For want of memory or stack, and what it was to close is owed: others may start in its place.
                synchronized (WORK) {
                    threads--;
                }
            }
        }
    }

    private static @Nullable Runnable next() {
        synchronized (WORK) {
            if (WORK.isEmpty()) {
                idle++;
                try {
                    WORK.wait(IDLE_MILLIS);
                } catch (InterruptedException ends) {
                    // Only a program that ends all threads there are interrupts this one.
                } finally {
                    idle--;
                }
            }
            Runnable next = WORK.poll();
            threads -= next == null ? 1 : 0;
            return next;
        }
    }
}
