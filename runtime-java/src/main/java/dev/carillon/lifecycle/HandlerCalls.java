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
 * Calls handlers off the loop, on one thread of our own, which ends when it has had nothing to do for a while. Where the
 * program has an executor, that thread hands them over: the executor may run them at once, or block.
 *
 * <p><b>Threading:</b> any thread.
 */
final class HandlerCalls {
    /** A handler that does not return lets no more than these wait behind it. */
    private static final int BACKLOG = 1024;

    private static final long IDLE_SECONDS = 10;

    /** Ours, so that it knows itself: a handler that closes the lifecycle is not interrupted for it. */
    private static final class HandlerThread extends Thread {
        private final HandlerCalls calls;

        HandlerThread(Runnable task, HandlerCalls calls) {
            super(task, "carillon-handlers");
            this.calls = calls;
            setDaemon(true);
        }
    }

    private final Handlers handlers;
    private final LifecycleLog log;
    private final @Nullable Executor executor;
    private final ThreadPoolExecutor own = newThread();

    HandlerCalls(Handlers handlers, @Nullable Executor executor, LifecycleLog log) {
        this.handlers = handlers;
        this.executor = executor;
        this.log = log;
    }

    private ThreadPoolExecutor newThread() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(BACKLOG), this::daemon);
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    private Thread daemon(Runnable task) {
        return new HandlerThread(task, this);
    }

    /** Calls all handlers of a signal, some time, and then says how many there were. */
    void call(Arrival arrival, IntConsumer whenCalled) {
        Signal signal = arrival.signal();
        if (!handlers.has(signal)) {
            whenCalled.accept(0);
            return;
        }
        try {
            own.execute(() -> handOver(arrival, whenCalled));
        } catch (RejectedExecutionException full) {
            log.handlersFull(signal);
            whenCalled.accept(0);
        }
    }

    private void handOver(Arrival arrival, IntConsumer whenCalled) {
        Runnable all = () -> whenCalled.accept(handlers.call(arrival.info()));
        Executor theirs = executor;
        if (theirs == null) {
            all.run();
            return;
        }
        try {
            theirs.execute(all);
        } catch (Throwable refusal) {
            log.handlersRefused(arrival.signal(), refusal);
            whenCalled.accept(0);
        }
    }

    /** What has begun goes on, but is interrupted if another thread closes; the rest is dropped. */
    void close() {
        if (Thread.currentThread() instanceof HandlerThread closer && closer.calls == this) {
            own.getQueue().clear();
            own.shutdown();
        } else {
            own.shutdownNow();
        }
    }
}
