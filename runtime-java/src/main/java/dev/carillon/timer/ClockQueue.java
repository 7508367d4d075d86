package dev.carillon.timer;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.LoopTask;
import dev.carillon.loop.Watch;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.StackRoom;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Timers on one clock: a heap, and an alarm that is set to the earliest of them. The loop watches the alarm.
 *
 * <p>Each look runs one callback, without the lock. If another one is due, the loop looks again in its next iteration. So others have
 * their turn, and what a callback throws holds up no other.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; {@link #look}: the loop thread.
 */
// r[impl timer.clock]
final class ClockQueue implements LoopService, AutoCloseable {
    /** So long until the next look where the loop cannot watch the alarm, for want of a descriptor. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** An alarm that is set to this rings at once. */
    private static final long PAST = Long.MIN_VALUE;

    private final EventLoop loop;
    private final AlarmClock clock;

    /** Null if nobody wants to be told that the clock was set. */
    private final @Nullable Consumer<ClockChange> onChange;

    private final TimerHeap heap = new TimerHeap();
    private @Nullable Watch watch;

    /** When it rings. */
    private long alarm = TimerHeap.NEVER;

    /** The clock was set, and {@link #onChange} does not know yet. */
    private boolean wasSet;

    private boolean isClosed;

    /** By how much the clock is ahead of the one that nobody sets. */
    private long ahead;

    private ClockQueue(EventLoop loop, AlarmClock clock, @Nullable Consumer<ClockChange> onChange) {
        this.loop = loop;
        this.clock = clock;
        this.onChange = onChange;
    }

    /** Takes over a clock, and closes it if this fails. */
    static ClockQueue open(EventLoop loop, AlarmClock clock, @Nullable Consumer<ClockChange> onChange) {
        ClockQueue queue = null;
        try {
            queue = new ClockQueue(loop, clock, onChange);
            queue.begin();
            return queue;
        } catch (RuntimeException | Error failure) {
            if (queue == null) {
                clock.close();
            } else {
                queue.close();
            }
            throw failure;
        }
    }

    private synchronized void begin() {
        LoopAccess.of(loop).ensureAccepting();
        loop.register(this);
        ahead = clock.now() - System.nanoTime();
        // Set, though to never: the kernel does not tell an alarm that was never set that the clock was.
        clock.setAlarm(TimerHeap.NEVER);
        watch();
    }

    /** The watching begins later, on the loop thread, and may fail there. */
    private void watch() {
        watch = loop.watch(clock.number(), this::look, unwatchable -> lookLater());
    }

    // r[impl timer.clock-unwatched]
    private synchronized void lookLater() {
        if (!isClosed) {
            loop.schedule(PAUSE, this::lookAndWatch);
        }
    }

    private void lookAndWatch() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            watch();
        }
        look();
    }

    long now() {
        return clock.now();
    }

    /**
     * Sets a timer. Any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     * @throws ClosedException if this is closed
     */
    ClockTimer add(long time, Runnable task) {
        LoopAccess.of(loop).ensureAccepting();
        Alarm timer = new Alarm(Objects.requireNonNull(task, "task"));
        synchronized (this) {
            ensureOpen();
            timer.arm(time);
            heap.add(timer);
            if (time < alarm) {
                set(time);
            }
        }
        return timer;
    }

    private void ensureOpen() {
        if (isClosed) {
            throw new ClosedException("timers on " + loop
                    + " were used after they were closed, or their loop has ended;" + " open others");
        }
    }

    /**
     * The kernel tells once that the clock was set, and it may do so here, in any thread. Then the alarm rings at once, so that the
     * loop looks, and tells.
     */
    private void set(long time) {
        alarm = time;
        if (!wasSet) {
            wasSet = clock.setAlarm(time);
        }
        if (wasSet) {
            clock.setAlarm(PAST);
        }
    }

    /** The alarm rang, or the clock was set. */
    private void look() {
        ClockChange change;
        TimerNode due;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            wasSet |= clock.takeRing();
            change = change();
            long now = clock.now();
            due = change == null ? heap.pollDue(now) : null;
            set(heap.earliest());
            if (alarm <= now || wasSet) {
                lookAgain();
            }
        }
        if (due != null) {
            due.run();
        } else if (change != null && onChange != null) {
            onChange.accept(change);
        }
    }

    /** The alarm rings as well, but a loop that runs until nothing is ready would not wait for it. */
    private void lookAgain() {
        Watch open = watch;
        if (open != null) {
            open.again();
        }
    }

    /** Null if the clock was not set. */
    private @Nullable ClockChange change() {
        if (!wasSet) {
            return null;
        }
        wasSet = false;
        long before = ahead;
        ahead = clock.now() - System.nanoTime();
        return new ClockChange(Duration.ofNanos(ahead - before));
    }

    private boolean cancel(Alarm timer) {
        StackRoom.ensure();
        synchronized (this) {
            boolean cancelled = timer.tryCancel();
            if (cancelled) {
                heap.cancelled(1);
            }
            return cancelled;
        }
    }

    /** Cancels all timers, and closes the clock. */
    // r[impl timer.clock-end]
    @Override
    public synchronized void close() {
        StackRoom.ensureAround();
        end();
        TimerNode timer;
        while ((timer = heap.pollAny()) != null) {
            timer.tryCancel();
        }
        loop.unregister(this);
        clock.close();
    }

    private void end() {
        isClosed = true;
        Watch open = watch;
        if (open != null) {
            open.close();
            watch = null;
        }
    }

    @Override
    public void onLoopEnd() {
        TimerNode timer;
        synchronized (this) {
            end();
            clock.close();
        }
        while ((timer = takeAny()) != null) {
            try {
                timer.onLoopEnd();
            } catch (RuntimeException | Error thrown) {
                LoopAccess.of(loop).report(thrown);
            }
        }
    }

    @Override
    public synchronized String toString() {
        return loop + ", " + (isClosed ? "closed" : heap.size() + " timers");
    }

    private synchronized @Nullable TimerNode takeAny() {
        TimerNode timer;
        do {
            timer = heap.pollAny();
        } while (timer != null && !timer.tryCancel());
        return timer;
    }

    /** A timer of a user. */
    private final class Alarm extends TimerNode implements ClockTimer {
        /** Null once a user has cancelled it. One cancel wins, and then neither {@link #run} nor {@link #onLoopEnd} comes. */
        private @Nullable Runnable task;

        Alarm(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            Runnable due = task;
            if (due != null) {
                due.run();
            }
        }

        @Override
        public void onLoopEnd() {
            if (task instanceof LoopTask told) {
                told.onLoopEnd();
            }
        }

        // r[impl timer.cancelled-memory]
        @Override
        public boolean cancel() {
            boolean cancelled = ClockQueue.this.cancel(this);
            if (cancelled) {
                task = null;
            }
            return cancelled;
        }

        @Override
        public boolean isPending() {
            return isArmed();
        }
    }
}
