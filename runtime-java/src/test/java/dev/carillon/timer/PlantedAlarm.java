package dev.carillon.timer;

import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;

/**
 * A clock that the test sets, in place of the kernel's, which no test may set: it rings as a timerfd with TFD_TIMER_CANCEL_ON_SET
 * does. The descriptor is a real one.
 */
final class PlantedAlarm implements AlarmClock {
    private final Sys sys = Sys.get();
    private final NativeBytes memory = NativeBytes.allocate(sys.libc(), Long.BYTES);
    private final Fd fd = sys.clocks().event(0);
    private final int number = fd.acquire();
    private long now;
    private long alarm = Long.MAX_VALUE;
    private boolean wasSet;
    private boolean tellsAtNextAlarm;
    private boolean isClosed;

    PlantedAlarm(long now) {
        this.now = now;
    }

    /** Time passes. */
    synchronized void advance(long to) {
        now = to;
        ringIfDue();
    }

    /** Somebody sets the clock. */
    synchronized void set(long to) {
        wasSet = true;
        now = to;
        ring();
    }

    /** Somebody sets the clock, and the next one who sets the alarm finds out, before the loop has seen the ring. */
    synchronized void setUnseen(long to) {
        tellsAtNextAlarm = true;
        now = to;
    }

    private void ringIfDue() {
        if (alarm <= now) {
            alarm = Long.MAX_VALUE;
            ring();
        }
    }

    private void ring() {
        memory.bytes().putLong(0, 1);
        sys.descriptors().write(number, memory.address(), Long.BYTES);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public synchronized long now() {
        return now;
    }

    @Override
    public synchronized boolean setAlarm(long timeNanos) {
        alarm = timeNanos;
        boolean told = tellsAtNextAlarm;
        tellsAtNextAlarm = false;
        ringIfDue();
        return told;
    }

    @Override
    public synchronized boolean takeRing() {
        sys.descriptors().read(number, memory.address(), Long.BYTES);
        boolean told = wasSet;
        wasSet = false;
        return told;
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            fd.close();
            fd.release();
            memory.close();
        }
    }
}
