package dev.carillon.sys;

import dev.carillon.sys.layout.Constants;

/** Sets the wall clock of the machine to what it is. See clock_settime(2). */
public final class ClockSetting {
    private static final int CLOCK_SETTIME = System.getProperty("os.arch").equals("amd64") ? 227 : 112;
    private static final int TIMESPEC = 16;

    private ClockSetting() {}

    /**
     * The kernel tells its timers then that the clock was set, although it has only lost the time between two calls.
     *
     * @return 0, or -errno where that is not permitted
     */
    public static long toNow(LibC libc) {
        try (NativeBytes time = NativeBytes.allocate(libc, TIMESPEC)) {
            libc.clock_gettime(Constants.CLOCK_REALTIME, time.address());
            return libc.syscall(CLOCK_SETTIME, Constants.CLOCK_REALTIME, time.address());
        }
    }
}
