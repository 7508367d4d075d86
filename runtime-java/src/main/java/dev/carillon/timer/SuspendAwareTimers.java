package dev.carillon.timer;

import static dev.carillon.sys.layout.Constants.CLOCK_BOOTTIME;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.Objects;

/**
 * Timers that count the time in which the machine is suspended, as for a lease that others end by their own clock. {@link
 * EventLoop#schedule} does not count it: there a timer of an hour still waits its hour after a night in suspend.
 *
 * <p>A timer is never early, and nobody can set its clock. One whose time passed in suspend is called when the machine wakes up. No
 * timer wakes the machine.
 *
 * <p><b>Threading:</b> any thread. Callbacks run on the loop thread. What they throw goes to the error handler of the loop.
 *
 * <p><b>Ownership:</b> as {@link WallClockTimers}.
 *
 * <p><b>See:</b> timerfd_create(2), CLOCK_BOOTTIME.
 */
// r[impl timer.suspend]
public final class SuspendAwareTimers implements AutoCloseable {
    private final ClockQueue queue;

    private SuspendAwareTimers(ClockQueue queue) {
        this.queue = queue;
    }

    /**
     * Opens one without timers.
     *
     * @throws UnsupportedOperationException if the kernel, or the profile of a container, lets no such timers be made
     * @throws dev.carillon.SyscallException if the process has no descriptor left
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     */
    public static SuspendAwareTimers open(EventLoop loop) {
        Objects.requireNonNull(loop, "loop");
        return new SuspendAwareTimers(ClockQueue.open(loop, KernelAlarm.open(CLOCK_BOOTTIME), null));
    }

    /**
     * Calls back after some time.
     *
     * @param delay a negative one is now; one that is too long for nanoseconds never comes
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     * @throws dev.carillon.ClosedException if this is closed
     */
    public ClockTimer after(Duration delay, Runnable task) {
        return queue.add(Deadlines.after(queue.now(), delay), task);
    }

    /** Cancels the timers; a second call does nothing. */
    @Override
    public void close() {
        queue.close();
    }

    @Override
    public String toString() {
        return "SuspendAwareTimers[" + queue + "]";
    }
}
