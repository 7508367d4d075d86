package dev.carillon.timer;

import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.ClockCalls;
import dev.carillon.sys.call.Sys;

/** An alarm of the kernel, by timerfd_create(2). */
final class KernelAlarm implements AlarmClock {
    private final ClockCalls clocks;
    private final int clock;
    private final Fd fd;
    private final int number;
    private boolean released;

    private KernelAlarm(ClockCalls clocks, int clock, Fd fd) {
        this.clocks = clocks;
        this.clock = clock;
        this.fd = fd;
        number = fd.acquire();
    }

    /**
     * Opens one on a clock of the kernel.
     *
     * @throws UnsupportedOperationException if the kernel, or the profile of a container, lets no such timer be made
     * @throws dev.carillon.SyscallException if the process has no descriptor left
     */
    // r[impl timer.clock-missing]
    static KernelAlarm open(int clock) {
        Feature.TIMERFD.availability().ensureAvailability();
        Feature.TIMERFD_CLOCKS.availability().ensureAvailability();
        ClockCalls clocks = Sys.get().clocks();
        Fd fd = clocks.timer(clock);
        boolean owned = false;
        try {
            KernelAlarm alarm = new KernelAlarm(clocks, clock, fd);
            owned = true;
            return alarm;
        } finally {
            if (!owned) {
                fd.close();
            }
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public long now() {
        return clocks.now(clock);
    }

    @Override
    public boolean setAlarm(long timeNanos) {
        return clocks.setAt(number, timeNanos);
    }

    @Override
    public boolean takeRing() {
        return clocks.take(number) == ClockCalls.CLOCK_WAS_SET;
    }

    @Override
    public void close() {
        fd.close();
        if (!released) {
            released = true;
            fd.release();
        }
    }
}
