package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.StackRoom;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one loop.
 *
 * <p>The heap belongs to the loop thread. Another thread sends its timer there, and wakes the loop only if the timer is due
 * before the loop would wake by itself. So a parked loop may have timers on their way, but none that it would miss.
 *
 * <p><b>Order:</b> the loop publishes {@link #nextWake} before it announces to park and then looks at the queue. A sender
 * reads it after it has put its timer into that queue. So the loop sees the timer, or the sender sees the right time.
 */
final class LoopTimers {
    /** With more timers on their way, the next one wakes the loop, so that the queue stays short. */
    private static final int MANY = 1024;

    /** So many unseen cancellations wake the loop, which lets go of the tasks: what these hold may be large. */
    private static final int FEW = 64;

    /** The shortest wait before the heap tries to grow again: where memory is short, the VM takes long to refuse it. */
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LoopThread thread;
    private final LoopState state;
    private final Inbox inbox;
    private final LongSupplier clock;
    private final ErrorSink errors;
    private final TimerHeap heap = new TimerHeap();
    private final TimerOverflow overflow = new TimerOverflow();
    private final AtomicInteger cancelledElsewhere = new AtomicInteger();

    /** When the loop last tried to move what lies outside the heap into it. */
    private long triedAt;

    private long pause = SHORTEST_PAUSE;

    private volatile long nextWake = TimerHeap.NEVER;

    LoopTimers(LoopThread thread, LoopState state, Inbox inbox, LongSupplier clock, ErrorSink errors) {
        this.thread = thread;
        this.state = state;
        this.inbox = inbox;
        this.clock = clock;
        this.errors = errors;
    }

    /** Sets a timer for a task of a user. Any thread; throws if the loop refuses it. */
    TimerHandle schedule(Runnable task, long deadline) {
        ScheduledTask timer = new ScheduledTask(this, task);
        start(timer, deadline, null);
        return timer;
    }

    /**
     * Sets a new timer. Any thread; throws if the loop refuses it.
     *
     * @param way brings it from another thread; null to have one made
     */
    void start(TimerNode timer, long deadline, @Nullable Insertion way) {
        StackRoom.ensure();
        if (thread.runsHere()) {
            rearm(timer, deadline);
            return;
        }
        if (thread.borrow()) {
            try {
                rearm(timer, deadline);
            } finally {
                thread.giveBack();
            }
            return;
        }
        timer.arm(deadline);
        if (!inbox.postQuietly(way == null ? new Insertion(this, timer) : way)) {
            timer.tryCancel();
            throw state.refused();
        }
        if (mustWake(deadline)) {
            inbox.wakeIfParked();
        }
    }

    /** On the loop's thread, also between two runs. */
    void reset(TimerNode timer, long deadline) {
        boolean borrowed = thread.borrow();
        try {
            rearm(timer, deadline);
        } finally {
            if (borrowed) {
                thread.giveBack();
            }
        }
    }

    /** Throws on a thread that is not the loop's. */
    void ensureMine(String what) {
        if (!thread.isMine()) {
            thread.ensureRunsHere(what);
        }
    }

    /** While the loop runs. */
    void rearm(TimerNode timer, long deadline) {
        thread.ensureRunsHere("setting a timer anew");
        state.ensureAcceptsLocal();
        timer.arm(deadline);
        try {
            heap.add(timer);
        } catch (OutOfMemoryError heapCannotGrow) {
            timer.tryCancel();
            throw heapCannotGrow;
        }
    }

    /**
     * Sets the timer that has run just now for another time, unless it was cancelled. This needs no memory: the heap has kept
     * its place, or it came from the overflow and goes back there.
     */
    // r[impl timer.repeat-memory]
    void again(TimerNode timer, long deadline, Insertion way) {
        if (!timer.tryArmAgain(deadline)) {
            return;
        }
        try {
            heap.addAgain(timer);
        } catch (OutOfMemoryError heapIsFull) {
            heap.leave(timer);
            overflow.add(way);
        }
    }

    /** The loop's clock. */
    long now() {
        return clock.getAsLong();
    }

    /** Inserts a timer of another thread. It was accepted, so it runs, whether the heap can grow or not. */
    // r[impl timer.accepted]
    private void insert(Insertion insertion) {
        if (!insertion.timer.isArmed()) {
            return;
        }
        if (overflow.isEmpty()) {
            try {
                heap.add(insertion.timer);
                return;
            } catch (OutOfMemoryError heapCannotGrow) {
                triedAt = System.nanoTime();
            }
        }
        overflow.add(insertion);
    }

    /**
     * Sweeps what other threads have cancelled, for a loop that never parks, and moves what lies outside into the heap, as soon as
     * there is room. Called once per iteration; mostly there is nothing.
     */
    void tidy() {
        if (cancelledElsewhere.get() >= FEW) {
            countCancelled();
        }
        placeAll();
    }

    private void countCancelled() {
        heap.cancelled(cancelledElsewhere.getAndSet(0));
    }

    private void placeAll() {
        if (overflow.isEmpty() || System.nanoTime() - triedAt < pause) {
            return;
        }
        overflow.collect(clock.getAsLong());
        try {
            Insertion first;
            while ((first = overflow.first()) != null) {
                heap.add(first.timer);
                overflow.removeFirst();
            }
            pause = SHORTEST_PAUSE;
        } catch (OutOfMemoryError heapCannotGrow) {
            pause = Math.min(LONGEST_PAUSE, 2 * pause);
            triedAt = System.nanoTime();
        }
    }

    /** Cancels a timer; false if it was not set any more. Any thread. */
    boolean cancel(TimerNode timer) {
        boolean cancelled = timer.tryCancel();
        if (cancelled) {
            cancelled();
        }
        return cancelled;
    }

    // r[impl timer.cancelled-memory]
    private void cancelled() {
        if (thread.runsHere()) {
            heap.cancelled(1);
        } else if (cancelledElsewhere.incrementAndGet() % FEW == 0) {
            inbox.wakeIfParked();
        }
    }

    /** Whether a timer on its way must wake the loop. */
    private boolean mustWake(long deadline) {
        return deadline < nextWake || inbox.backlog() > MANY;
    }

    @Nullable
    TimerNode pollDue(long now) {
        TimerNode timer = overflow.isEmpty() ? null : overflow.pollDue(now, heap.earliest());
        return timer == null ? heap.pollDue(now) : timer;
    }

    /** The heap, for reading only. */
    TimerHeap heap() {
        return heap;
    }

    /** Whether a timer may be due. */
    boolean mayBeDue(long now) {
        return heap.mayBeDue(now) || overflow.earliest() <= now;
    }

    /** Publishes and returns the time until which the loop may park. */
    long beforePark() {
        long earliest = earliest();
        heap.giveBack();
        nextWake = earliest;
        return earliest;
    }

    // r[impl timer.next]
    /** The earliest deadline. On the loop's thread, also between two runs. */
    OptionalLong next() {
        ensureMine("nextTimer()");
        long earliest = earliest();
        return earliest == TimerHeap.NEVER ? OptionalLong.empty() : OptionalLong.of(earliest);
    }

    long earliest() {
        if (cancelledElsewhere.get() != 0) {
            countCancelled();
        }
        if (overflow.isEmpty()) {
            return heap.earliest();
        }
        placeAll();
        long again = overflow.isEmpty() ? TimerHeap.NEVER : clock.getAsLong() + pause;
        return Math.min(Math.min(heap.earliest(), overflow.earliest()), again);
    }

    // r[impl timer.extremes]
    /** Whether a timer will ever come; one with the deadline NEVER will not. */
    boolean willCome() {
        return overflow.earliest() != TimerHeap.NEVER || heap.earliest() != TimerHeap.NEVER;
    }

    boolean isEmpty() {
        return overflow.isEmpty() && heap.isEmpty();
    }

    int size() {
        return heap.size() + overflow.size();
    }

    /** Cancels all timers at the end of the loop, and calls their {@code onLoopEnd}. */
    void cancelAll() {
        TimerNode timer;
        while ((timer = heap.pollAny()) != null) {
            tell(timer);
        }
        while ((timer = overflow.pollAny()) != null) {
            tell(timer);
        }
    }

    private void tell(TimerNode timer) {
        try {
            if (timer.tryCancel()) {
                timer.onLoopEnd();
            }
        } catch (Throwable thrown) {
            errors.report(thrown);
        }
    }

    /** A timer of a user. */
    private static final class ScheduledTask extends TimerNode implements TimerHandle {
        private final LoopTimers timers;
        private final Runnable task;

        ScheduledTask(LoopTimers timers, Runnable task) {
            this.timers = timers;
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }

        @Override
        public void onLoopEnd() {
            if (task instanceof LoopTask told) {
                told.onLoopEnd();
            }
        }

        @Override
        public boolean cancel() {
            StackRoom.ensure();
            return timers.cancel(this);
        }

        @Override
        public boolean isPending() {
            return isArmed();
        }

        @Override
        public void rescheduleAt(long deadlineNanos) {
            StackRoom.ensure();
            timers.cancel(this);
            timers.reset(this, deadlineNanos);
        }
    }

    /** Brings a timer from another thread. */
    static final class Insertion extends LoopCommand {
        private final LoopTimers timers;
        final TimerNode timer;

        /** In the overflow. */
        @Nullable
        Insertion next;

        Insertion(LoopTimers timers, TimerNode timer) {
            this.timers = timers;
            this.timer = timer;
        }

        @Override
        public void onLoop() {
            timers.insert(this);
        }
    }
}
