package dev.carillon.loop;

import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.StackRoom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A repeating timer: one node of the heap, which is set anew after each callback.
 *
 * <p>States are those of {@link TimerNode}: ARMED while it waits, FIRED while the callback runs. A cancel takes it out of either,
 * and the loop sets it anew only out of FIRED. So a cancel is never lost, whenever it comes.
 *
 * <p><b>Threading:</b> {@link #cancel} and the questions: any thread; the rest: the loop thread.
 */
// r[impl timer.repeat]
final class TickingTimer extends TimerNode implements RepeatingTimer {
    /** A loop that ticks more often does nothing else. */
    private static final long SHORTEST = TimeUnit.MICROSECONDS.toNanos(1);

    private final LoopTimers timers;
    private final LoopTimers.Insertion way;
    private final MissedTicks rule;
    private final long period;
    private final TickTask task;

    /** When the tick is due that comes next; while one runs, a period later. Only the loop thread writes it, once the timer is set. */
    private volatile long next;

    /** When the tick was due that runs, or ran last. */
    private long current;

    /** How many were dropped while the last callback ran. */
    private long dropped;

    private long missed;

    private TickingTimer(LoopTimers timers, long first, long period, MissedTicks rule, TickTask task) {
        this.timers = timers;
        this.next = first;
        this.current = first;
        this.period = period;
        this.rule = rule;
        this.task = task;
        way = new LoopTimers.Insertion(timers, this);
    }

    /** Sets one. Any thread; bad input is refused before anything is set. */
    static RepeatingTimer start(LoopTimers timers, long first, Duration period, MissedTicks rule, TickTask task) {
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(task, "task");
        TickingTimer timer = new TickingTimer(timers, first, nanos(period), rule, task);
        timers.start(timer, first, timer.way);
        return timer;
    }

    private static long nanos(Duration period) {
        long nanos;
        try {
            nanos = period.toNanos();
        } catch (ArithmeticException tooLong) {
            nanos = 0;
        }
        if (nanos < SHORTEST) {
            throw new IllegalArgumentException(
                    "period=" + period + ": from a microsecond to 292 years; for a call that does"
                            + " not repeat there is schedule(), for one in each turn of the loop a task that posts itself");
        }
        return nanos;
    }

    // r[impl timer.missed]
    @Override
    public void run() {
        arrive(timers.now());
        try {
            task.onTick(this);
        } finally {
            goOn(timers.now());
        }
    }

    /** Finds out how late this tick is, by the rule. */
    private void arrive(long now) {
        long wanted = next;
        long late = rule == MissedTicks.DELAY ? 0 : periods(wanted, now);
        missed = dropped + late;
        dropped = 0;
        current = rule == MissedTicks.SKIP ? wanted + late * period : wanted;
        next = after(current, period);
    }

    /** The callback has come back, or has thrown: sets the next tick, unless it cancelled the timer, or set it by itself. */
    private void goOn(long now) {
        if (!hasFired()) {
            return;
        }
        if (rule == MissedTicks.SKIP) {
            dropped = periods(current, now);
        }
        long due = rule == MissedTicks.CATCH_UP ? next : ifItEnds(next, now);
        next = due;
        // One that is late goes behind all timers that are due by now. With its own time it would go before them, each
        // time.
        timers.again(this, Math.max(due, now), way);
    }

    /** When the next tick is due if the callback ends now, by a rule that drops ticks; the other time is a period after this tick. */
    private long ifItEnds(long soonest, long now) {
        if (rule == MissedTicks.DELAY) {
            return after(now, period);
        }
        return soonest > now ? soonest : after(soonest + periods(soonest, now) * period, period);
    }

    /** How many whole periods lie between two times, whatever these are. */
    private long periods(long from, long to) {
        return to <= from ? 0 : Long.divideUnsigned(to - from, period);
    }

    private static long after(long time, long period) {
        long sum = time + period;
        return sum < time ? TimerHeap.NEVER : sum;
    }

    @Override
    public void onLoopEnd() {
        task.onLoopEnd();
    }

    // r[impl timer.repeat-cancel]
    @Override
    public boolean cancel() {
        StackRoom.ensure();
        while (!timers.cancel(this)) {
            if (tryCancelFired()) {
                return true;
            }
            if (isCancelled()) {
                return false;
            }
            // It fired, or was set anew, between the two looks.
        }
        return true;
    }

    @Override
    public boolean isPending() {
        return !isCancelled();
    }

    @Override
    public void rescheduleAt(long deadlineNanos) {
        StackRoom.ensure();
        timers.ensureMine("setting a timer anew");
        cancel();
        // With a time long past, it would catch up with ticks that never were.
        long first = Math.max(deadlineNanos, timers.now());
        timers.reset(this, first);
        next = first;
        dropped = 0;
    }

    @Override
    public long missed() {
        return missed;
    }

    @Override
    public long thisTick() {
        return current;
    }

    // r[impl timer.next-tick]
    @Override
    public long nextTick() {
        long soonest = next;
        return rule == MissedTicks.CATCH_UP || !hasFired() ? soonest : ifItEnds(soonest, timers.now());
    }
}
