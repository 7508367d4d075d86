package dev.carillon.timer;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.MissedTicks;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A view of a loop, see {@link LoopExecutors#scheduled}. Its timers are those of the loop. */
// r[impl timer.executor]
final class LoopScheduledExecutor extends AbstractExecutorService implements ScheduledExecutorService, LoopService {
    private static final long SHORTEST_PERIOD = TimeUnit.MICROSECONDS.toNanos(1);

    private final EventLoop loop;
    private final LoopAccess access;
    private final TaskLedger ledger;

    LoopScheduledExecutor(EventLoop loop) {
        this.loop = loop;
        access = LoopAccess.of(loop);
        ledger = new TaskLedger(this::leaveLoop);
    }

    /** Lives on the loop from now on. */
    void begin() {
        access.ensureAccepting();
        loop.register(this);
    }

    private void leaveLoop() {
        loop.unregister(this);
    }

    @Override
    public void execute(Runnable task) {
        DueTask due = new DueTask(ledger, Objects.requireNonNull(task, "task"));
        ledger.enter(due);
        boolean posted = false;
        try {
            loop.execute(due);
            posted = true;
        } finally {
            if (!posted) {
                ledger.leave(due);
            }
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return schedule(Executors.callable(task), delay, unit);
    }

    @Override
    public <V extends @Nullable Object> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        Duration wait = nanos(delay, unit);
        TimedTask<V> timed = timed(task, wait, false);
        return entered(timed, () -> timed.setTimer(loop.scheduleAt(timed.first(), timed)));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return repeat(task, nanos(initialDelay, unit), period, unit, MissedTicks.CATCH_UP);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
        return repeat(task, nanos(initialDelay, unit), delay, unit, MissedTicks.DELAY);
    }

    private ScheduledFuture<?> repeat(Runnable task, Duration first, long period, TimeUnit unit, MissedTicks rule) {
        if (period <= 0) {
            throw new IllegalArgumentException("period=" + period + " " + unit + ": at least 1");
        }
        Duration between = Duration.ofNanos(Math.max(SHORTEST_PERIOD, unit.toNanos(period)));
        TimedTask<?> timed = timed(Executors.callable(task), first, true);
        return entered(timed, () -> timed.setTimer(loop.scheduleRepeating(first, between, rule, timed::tick)));
    }

    private static Duration nanos(long delay, TimeUnit unit) {
        return Duration.ofNanos(Math.max(0, unit.toNanos(delay)));
    }

    private <V extends @Nullable Object> TimedTask<V> timed(Callable<V> task, Duration first, boolean isPeriodic) {
        Objects.requireNonNull(task, "task");
        return new TimedTask<>(loop, ledger, task, Deadlines.after(loop.nanoTime(), first), isPeriodic);
    }

    private <V extends @Nullable Object> ScheduledFuture<V> entered(TimedTask<V> task, Runnable set) {
        ledger.enter(task);
        boolean isSet = false;
        try {
            set.run();
            isSet = true;
            return task;
        } finally {
            if (!isSet) {
                ledger.leave(task);
            }
        }
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable task, T value) {
        return newTaskFor(Executors.callable(task, value));
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> task) {
        return new LoopFutureTask<>(access, task);
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        access.ensureMayWait("invokeAll()");
        return super.invokeAll(tasks);
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> tasks, long time, TimeUnit unit) throws InterruptedException {
        access.ensureMayWait("invokeAll()");
        return super.invokeAll(tasks, time, unit);
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        access.ensureMayWait("invokeAny()");
        return super.invokeAny(tasks);
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> tasks, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        access.ensureMayWait("invokeAny()");
        return super.invokeAny(tasks, time, unit);
    }

    // r[impl timer.executor-end]
    @Override
    public void shutdown() {
        ledger.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return ledger.shutdownNow();
    }

    /** The loop ends: what waits for its time never comes. The loop runs what was to run at once. */
    @Override
    public void onLoopEnd() {
        ledger.shutdownTimed();
    }

    @Override
    public boolean isShutdown() {
        return ledger.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return ledger.ended().getCount() == 0;
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        if (!isTerminated()) {
            access.ensureMayWait("awaitTermination()");
        }
        return ledger.ended().await(time, unit);
    }

    @Override
    public String toString() {
        return "ScheduledExecutorService of " + loop + (isTerminated() ? ", ended" : isShutdown() ? ", shut down" : "");
    }

    /** A task that is to run at once. */
    private static final class DueTask implements Runnable, TaskLedger.Task {
        private final TaskLedger ledger;
        private final Runnable task;

        DueTask(TaskLedger ledger, Runnable task) {
            this.ledger = ledger;
            this.task = task;
        }

        @Override
        public void run() {
            if (ledger.begin(this)) {
                TimedTask.forgetInterrupt();
                try {
                    task.run();
                } finally {
                    ledger.leave(this);
                }
            }
        }

        @Override
        public Runnable given() {
            return task;
        }

        @Override
        public boolean isTimed() {
            return false;
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }

        @Override
        public void cancelTask() {
            if (task instanceof Future<?> future) {
                future.cancel(false);
            }
        }
    }
}
