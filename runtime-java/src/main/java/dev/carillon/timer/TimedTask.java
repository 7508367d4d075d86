package dev.carillon.timer;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.RepeatingTimer;
import dev.carillon.loop.TimerHandle;
import dev.carillon.loop.access.LoopAccess;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A task of an executor that waits for its time, once or again and again. */
final class TimedTask<V extends @Nullable Object> extends LoopFutureTask<V>
        implements RunnableScheduledFuture<V>, TaskLedger.Task {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final EventLoop loop;
    private final TaskLedger ledger;
    private final long first;
    private final boolean isPeriodic;
    private final long number = NUMBERS.getAndIncrement();

    /** Null until it is set; the task may have run by then. */
    private volatile @Nullable TimerHandle timer;

    TimedTask(EventLoop loop, TaskLedger ledger, Callable<V> task, long first, boolean isPeriodic) {
        super(LoopAccess.of(loop), task);
        this.loop = loop;
        this.ledger = ledger;
        this.first = first;
        this.isPeriodic = isPeriodic;
    }

    /** When it is due for the first time, on the loop's clock. */
    long first() {
        return first;
    }

    /** The timer that calls it. */
    void setTimer(TimerHandle set) {
        timer = set;
        if (isDone()) {
            set.cancel();
        }
    }

    @Override
    public void run() {
        if (ledger.begin(this)) {
            forgetInterrupt();
            try {
                super.run();
            } finally {
                ledger.leave(this);
            }
        }
    }

    /** Runs it once of many times. */
    void tick(RepeatingTimer ticks) {
        if (!runOnce()) {
            ticks.cancel();
        }
    }

    private boolean runOnce() {
        if (!ledger.begin(this)) {
            return false;
        }
        forgetInterrupt();
        boolean goesOn = false;
        try {
            goesOn = runAndReset();
        } finally {
            if (goesOn) {
                ledger.pause(this);
            } else {
                ledger.leave(this);
            }
        }
        return goesOn;
    }

    /** What a task before has left on this thread is not for the next one. */
    // r[impl timer.executor-interrupt]
    static void forgetInterrupt() {
        Thread.interrupted();
    }

    @Override
    protected void done() {
        TimerHandle set = timer;
        if (set != null) {
            set.cancel();
        }
        ledger.drop(this);
    }

    @Override
    public Runnable given() {
        return this;
    }

    @Override
    public boolean isTimed() {
        return true;
    }

    @Override
    public boolean isPeriodic() {
        return isPeriodic;
    }

    @Override
    public void cancelTask() {
        cancel(false);
    }

    private long time() {
        return timer instanceof RepeatingTimer ticks ? ticks.nextTick() : first;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        long time = time();
        long delay = time - loop.nanoTime();
        return unit.convert(time == Long.MAX_VALUE ? time : delay, TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        if (other instanceof TimedTask<?> task) {
            int order = Long.compare(time(), task.time());
            return order == 0 ? Long.compare(number, task.number) : order;
        }
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
