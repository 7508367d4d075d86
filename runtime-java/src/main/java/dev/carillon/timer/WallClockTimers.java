package dev.carillon.timer;

import static dev.carillon.sys.layout.Constants.CLOCK_REALTIME;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Deadlines;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Timers by the wall clock, which people and time daemons set.
 *
 * <pre>{@code
 * WallClockTimers calendar = WallClockTimers.open(loop, change -> System.out.println("clock moved by " + change.step()));
 * calendar.at(LocalDate.now().plusDays(1).atTime(3, 0).atZone(ZoneId.systemDefault()), this::cleanUp);
 * }</pre>
 *
 * <p>A timer is never early by that clock. Where the clock is set forward over its time it is called at once, and where the clock is
 * set back it waits on. So it is at suspend: a time that passed meanwhile is called for when the machine wakes up. No timer wakes
 * the machine. For spans of time, {@link EventLoop#schedule} is right: its clock is set by nobody.
 *
 * <p><b>Threading:</b> any thread. Callbacks run on the loop thread. What they throw goes to the error handler of the loop.
 *
 * <p><b>Ownership:</b> the opener closes it, which cancels its timers; or the loop does at its end, and a {@link
 * dev.carillon.loop.LoopTask} learns of that. It costs two descriptors, however many timers there are, and keeps no loop from being
 * drained.
 *
 * <p><b>See:</b> timerfd_create(2), TFD_TIMER_CANCEL_ON_SET.
 */
// r[impl timer.wall-clock]
public final class WallClockTimers implements AutoCloseable {
    private final ClockQueue queue;

    private WallClockTimers(ClockQueue queue) {
        this.queue = queue;
    }

    /** Opens one that tells nobody of changes of the clock, else as {@link #open(EventLoop, Consumer)}. */
    public static WallClockTimers open(EventLoop loop) {
        return opened(loop, null);
    }

    /**
     * Opens one without timers.
     *
     * @param onChange called on the loop thread when the clock was set, or the machine was suspended; before timers that are due
     *     by the new time
     * @throws UnsupportedOperationException if the kernel, or the profile of a container, lets no such timers be made
     * @throws dev.carillon.SyscallException if the process has no descriptor left
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     */
    public static WallClockTimers open(EventLoop loop, Consumer<ClockChange> onChange) {
        return opened(loop, Objects.requireNonNull(onChange, "onChange"));
    }

    private static WallClockTimers opened(EventLoop loop, @Nullable Consumer<ClockChange> onChange) {
        Objects.requireNonNull(loop, "loop");
        return new WallClockTimers(ClockQueue.open(loop, KernelAlarm.open(CLOCK_REALTIME), onChange));
    }

    /**
     * Calls back at a time.
     *
     * @param time one in the past is now; one after the year 2262 never comes
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     * @throws dev.carillon.ClosedException if this is closed
     */
    public ClockTimer at(Instant time, Runnable task) {
        return queue.add(nanos(time), task);
    }

    /** As {@link #at(Instant, Runnable)}. What a zone makes of its hours later does not change the time of the timer. */
    public ClockTimer at(ZonedDateTime time, Runnable task) {
        return at(time.toInstant(), task);
    }

    static long nanos(Instant time) {
        try {
            long whole = Math.multiplyExact(time.getEpochSecond(), TimeUnit.SECONDS.toNanos(1));
            return Math.addExact(whole, time.getNano());
        } catch (ArithmeticException farAway) {
            return time.getEpochSecond() < 0 ? 0 : Deadlines.NEVER;
        }
    }

    /** Cancels the timers; a second call does nothing. */
    @Override
    public void close() {
        queue.close();
    }

    @Override
    public String toString() {
        return "WallClockTimers[" + queue + "]";
    }
}
