package dev.carillon.admin;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a listener. The JDK's server reads a request with blocking calls and without a time limit, so a client that
 * sends a letter now and then would have a thread for ever. Here each request has a time limit, and a much shorter one while
 * others wait for a thread: who is slow gives way, and never the one who comes after.
 *
 * <p>The limit is an interrupt. A channel of the JDK that is interrupted closes itself, so that ends the connection as well,
 * whether it reads the head, shakes hands or reads the body. More connections than threads and places to wait are closed
 * at once.
 *
 * <p>States of a turn: WAITING -> RUNNING -> SETTLED, or RUNNING -> ENDED. Only a RUNNING one is interrupted. A turn settles by
 * itself when its response has gone out: what follows, the log and the signal, is no matter of the client.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl admin.hostile]
final class Crew implements Executor, AutoCloseable {
    /** While others wait: enough for a handshake of a client that does not dawdle. */
    static final Duration PATIENCE = Duration.ofMillis(250);

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final long IDLE_SECONDS = 10;
    private static final long LEAVE_SECONDS = 1;
    private static final ThreadLocal<Turn> CURRENT = new ThreadLocal<>();

    private final long limitNanos;
    private final ThreadPoolExecutor workers;
    private final ScheduledThreadPoolExecutor clock;

    /** Guarded by this, as {@link #nextLook}. */
    private final Set<Turn> running = new LinkedHashSet<>();

    /** Null while nothing runs, so that an endpoint without requests wakes nobody. */
    private @Nullable ScheduledFuture<?> nextLook;

    Crew(int threads, int waiting, Duration limit) {
        this(threads, waiting, limit, daemons("carillon-admin"), daemons("carillon-admin-clock"));
    }

    Crew(int threads, int waiting, Duration limit, ThreadFactory ofWorkers, ThreadFactory ofClock) {
        limitNanos = limit.toNanos();
        workers = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(waiting), ofWorkers);
        workers.allowCoreThreadTimeOut(true);
        clock = new ScheduledThreadPoolExecutor(1, ofClock);
        clock.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        clock.allowCoreThreadTimeOut(true);
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** From here on the request of this thread, if it has one, is interrupted no more. */
    static void settle() {
        Turn own = CURRENT.get();
        if (own != null) {
            own.settle();
        }
    }

    /**
     * Has it run.
     *
     * @throws java.util.concurrent.RejectedExecutionException if there is no place left to wait; the server then closes the
     *     connection
     */
    @Override
    public void execute(Runnable request) {
        workers.execute(new Turn(request));
    }

    private synchronized void begun(Turn turn) {
        running.add(turn);
        if (workers.isShutdown()) {
            // close() was here before this one was in the list.
            turn.interrupt();
        }
        if (nextLook == null) {
            lookAgain();
        }
    }

    private synchronized void ended(Turn turn) {
        running.remove(turn);
    }

    private void lookAgain() {
        // After close() nobody is waited for.
        if (clock.isShutdown()) {
            return;
        }
        try {
            nextLook = clock.schedule(this::look, LOOK.toNanos(), TimeUnit.NANOSECONDS);
        } catch (OutOfMemoryError noThread) {
            // The next request tries again, and this one is served meanwhile.
            clock.getQueue().clear();
        }
    }

    private synchronized void look() {
        long now = System.nanoTime();
        long limit = workers.getQueue().isEmpty() ? limitNanos : Math.min(limitNanos, PATIENCE.toNanos());
        for (Turn turn : running) {
            if (now - turn.since >= limit) {
                turn.interrupt();
            }
        }
        nextLook = null;
        if (!running.isEmpty()) {
            lookAgain();
        }
    }

    /**
     * Interrupts what runs, and drops what waits. What has its response and is about to be dispatched comes to its end, in
     * this method as a rule.
     */
    @Override
    public void close() {
        workers.shutdown();
        workers.getQueue().clear();
        List<Turn> all;
        synchronized (this) {
            clock.shutdownNow();
            all = List.copyOf(running);
        }
        all.forEach(Turn::interrupt);
        if (CURRENT.get() == null) {
            awaitLeave();
        }
    }

    private void awaitLeave() {
        try {
            workers.awaitTermination(LEAVE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException stopWaiting) {
            Thread.currentThread().interrupt();
        }
    }

    /** One request on its thread. */
    private final class Turn implements Runnable {
        private final Runnable request;
        private volatile long since;

        /** Whom to interrupt; null when not RUNNING. Guarded by this. */
        private @Nullable Thread thread;

        Turn(Runnable request) {
            this.request = request;
        }

        @Override
        public void run() {
            synchronized (this) {
                thread = Thread.currentThread();
            }
            since = System.nanoTime();
            CURRENT.set(this);
            begun(this);
            try {
                request.run();
            } finally {
                settle();
                CURRENT.remove();
                ended(this);
            }
        }

        synchronized void interrupt() {
            if (thread != null) {
                thread.interrupt();
            }
        }

        /** What was meant for the request does not reach what follows, on this thread or the next request. */
        synchronized void settle() {
            if (thread != null) {
                thread = null;
                Thread.interrupted();
            }
        }
    }
}
