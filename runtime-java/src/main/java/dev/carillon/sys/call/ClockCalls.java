package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.call.Results.notNegative;
import static dev.carillon.sys.layout.Constants.CLOCK_MONOTONIC;
import static dev.carillon.sys.layout.Constants.EFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.EFD_NONBLOCK;
import static dev.carillon.sys.layout.Constants.TFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.TFD_NONBLOCK;

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
        return Fd.opened(
                libc, checked("timerfd_create", libc.timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)));
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

    /** How long until a timer runs out, 0 if it is not set. */
    public long remaining(int timer) {
        Scratch scratch = Scratch.ofThisThread(libc);
        checked("timerfd_gettime", libc.timerfd_gettime(descriptor(timer), scratch.address));
        return Timespec.nanos(scratch.bytes, Itimerspec.IT_VALUE);
    }
}
