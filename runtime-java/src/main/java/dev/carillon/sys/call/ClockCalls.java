package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.call.Results.notNegative;
import static dev.carillon.sys.call.Results.orAgain;
import static dev.carillon.sys.layout.Constants.CLOCK_MONOTONIC;
import static dev.carillon.sys.layout.Constants.EFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.EFD_NONBLOCK;
import static dev.carillon.sys.layout.Constants.TFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.TFD_NONBLOCK;
import static dev.carillon.sys.layout.Constants.TFD_TIMER_ABSTIME;
import static dev.carillon.sys.layout.Constants.TFD_TIMER_CANCEL_ON_SET;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.layout.TimeLayout.Itimerspec;
import dev.carillon.sys.layout.TimeLayout.Timespec;

/**
 * Counters and clocks that are descriptors: eventfd(2), timerfd_create(2). They never block and are not inherited.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.inherit]
public final class ClockCalls {
    /** What {@link #take} says where the clock was set, and the timer has to be set anew. */
    public static final long CLOCK_WAS_SET = -1;

    private final LibC libc;

    ClockCalls(LibC libc) {
        this.libc = libc;
    }

    /** A counter: eight bytes written are added, eight bytes read take all of it. */
    public Fd event(int initial) {
        return Fd.opened(libc, checked("eventfd", libc.eventfd(initial, EFD_CLOEXEC | EFD_NONBLOCK)));
    }

    /** A timer on the clock of System.nanoTime(), not set. */
    public Fd timer() {
        return timer(CLOCK_MONOTONIC);
    }

    /** A timer on one of the kernel's clocks, not set. */
    public Fd timer(int clock) {
        return Fd.opened(libc, checked("timerfd_create", libc.timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK)));
    }

    /** The nanoseconds on one of the kernel's clocks. */
    public long now(int clock) {
        Scratch scratch = Scratch.ofThisThread(libc);
        checked("clock_gettime", libc.clock_gettime(clock, scratch.address));
        return Timespec.nanos(scratch.bytes, 0);
    }

    /**
     * Sets a timer.
     *
     * @param afterNanos from now, 0 stops it
     * @param everyNanos again after each time, 0 for once
     */
    public void set(int timer, long afterNanos, long everyNanos) {
        Scratch scratch = Scratch.ofThisThread(libc);
        Itimerspec.put(scratch.bytes, 0, notNegative("afterNanos", afterNanos), notNegative("everyNanos", everyNanos));
        checked("timerfd_settime", libc.timerfd_settime(descriptor(timer), 0, scratch.address, 0));
    }

    /**
     * Sets a timer to a time on its clock, once. A time in the past is now. It also runs out, as {@link #take} tells, where
     * somebody sets that clock, which only CLOCK_REALTIME allows.
     *
     * @return whether the clock was set since the timer was last asked; it is set to the new time all the same
     */
    // r[impl timer.clock-set]
    public boolean setAt(int timer, long timeNanos) {
        Scratch scratch = Scratch.ofThisThread(libc);
        // Zero would stop it.
        Itimerspec.put(scratch.bytes, 0, Math.max(1, timeNanos), 0);
        int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
        int result = libc.timerfd_settime(descriptor(timer), flags, scratch.address, 0);
        return result == -Errno.ECANCELED || checked("timerfd_settime", result) < 0;
    }

    /** How often a timer ran out since the last question, 0 if it did not; or {@link #CLOCK_WAS_SET}. */
    public long take(int timer) {
        Scratch scratch = Scratch.ofThisThread(libc);
        long result = libc.read(descriptor(timer), scratch.address, Long.BYTES);
        if (result == -Errno.ECANCELED) {
            return CLOCK_WAS_SET;
        }
        return orAgain("read", result) < 0 ? 0 : scratch.bytes.getLong(0);
    }

    /** How long until a timer runs out, 0 if it is not set. */
    public long remaining(int timer) {
        Scratch scratch = Scratch.ofThisThread(libc);
        checked("timerfd_gettime", libc.timerfd_gettime(descriptor(timer), scratch.address));
        return Timespec.nanos(scratch.bytes, Itimerspec.IT_VALUE);
    }
}
