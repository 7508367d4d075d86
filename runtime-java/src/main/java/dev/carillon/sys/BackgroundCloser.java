package dev.carillon.sys;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Closes descriptors that another process may have prepared, on threads of its own.
 *
 * <p>The last close of a socket with SO_LINGER waits until its bytes are sent, for as long as whoever set the option
 * likes, and each close of a file of FUSE waits for the program behind it. A loop that closes what a stranger passed
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
    private static final int THREADS = 16;

    private static final int STACK = 256 * 1024;

    private BackgroundCloser() {}

    /** Runs something soon that may block, and that throws nothing. */
    public static void run(Runnable closing) {
        try {
            Pool.POOL.execute(closing);
        } catch (OutOfMemoryError noThread) {
            // A descriptor that leaks is worse than a close that waits.
            closing.run();
        }
    }

    /** Made at the first use: most processes never receive a descriptor. */
    private static final class Pool {
        static final ThreadPoolExecutor POOL = pool();

        private static ThreadPoolExecutor pool() {
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Pool::thread);
            pool.allowCoreThreadTimeOut(true);
            return pool;
        }

        private static Thread thread(Runnable work) {
            Thread thread = new Thread(null, work, "carillon-closer", STACK);
            thread.setDaemon(true);
            return thread;
        }
    }
}
