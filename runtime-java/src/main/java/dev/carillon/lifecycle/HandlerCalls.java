package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls handlers off the loop: on the user's executor, or on one thread of our own, which ends when it has had nothing to do
 * for a while.
 *
 * <p><b>Threading:</b> any thread.
 */
final class HandlerCalls {
    /** A handler that does not return lets no more than these wait behind it. */
    private static final int BACKLOG = 1024;

    private static final long IDLE_SECONDS = 10;

    private final Handlers handlers;
    private final Executor executor;
    private final @Nullable ThreadPoolExecutor own;

    HandlerCalls(Handlers handlers, @Nullable Executor executor) {
        this.handlers = handlers;
        if (executor == null) {
            ThreadPoolExecutor thread = newThread();
            own = thread;
            this.executor = thread;
        } else {
            own = null;
            this.executor = executor;
        }
    }

    private static ThreadPoolExecutor newThread() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(BACKLOG), HandlerCalls::daemon);
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "carillon-handlers");
        thread.setDaemon(true);
        return thread;
    }

    /** Calls all handlers of a signal, some time, and then says how many there were. */
    void call(Arrival arrival, IntConsumer whenCalled) {
        Signal signal = arrival.signal();
        if (!handlers.has(signal)) {
            whenCalled.accept(0);
            return;
        }
        try {
            executor.execute(() -> whenCalled.accept(handlers.call(arrival.info())));
        } catch (RejectedExecutionException full) {
            LifecycleLog.handlersFull(signal);
            whenCalled.accept(0);
        }
    }

    /** What has begun goes on; the rest is dropped. */
    void close() {
        if (own != null) {
            own.shutdownNow();
        }
    }
}
