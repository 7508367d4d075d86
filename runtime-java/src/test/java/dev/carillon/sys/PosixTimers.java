package dev.carillon.sys;

import dev.carillon.sys.layout.Architecture;

/** Timers of the kernel that send signals. See setitimer(2), timer_create(2). */
public final class PosixTimers {
    private static final int SETITIMER = Architecture.isX86() ? 38 : 103;
    private static final int TIMER_CREATE = Architecture.isX86() ? 222 : 107;
    private static final int TIMER_SETTIME = Architecture.isX86() ? 223 : 110;
    private static final int TIMER_DELETE = Architecture.isX86() ? 226 : 111;
    private static final int CLOCK_MONOTONIC = 1;
    private static final int SIGEVENT = 64;
    private static final int MILLISECOND_IN_MICROS = 1_000;
    private static final int MILLISECOND_IN_NANOS = 1_000_000;

    private PosixTimers() {}

    /** SIGALRM, in a millisecond. */
    public static void alarm(LibC libc) {
        try (NativeBytes memory = NativeBytes.allocate(libc, 32)) {
            memory.bytes().putLong(24, MILLISECOND_IN_MICROS);
            succeed("setitimer", libc.syscall(SETITIMER, 0, memory.address(), 0));
        }
    }

    /** A signal with a value, in a millisecond; returns the timer, to be deleted. */
    public static int queueLater(LibC libc, int signal, long value) {
        try (NativeBytes memory = NativeBytes.allocate(libc, 128)) {
            memory.bytes().putLong(0, value).putInt(8, signal);
            long timer = memory.address() + SIGEVENT;
            succeed("timer_create", libc.syscall(TIMER_CREATE, CLOCK_MONOTONIC, memory.address(), timer));
            int id = memory.bytes().getInt(SIGEVENT);
            memory.bytes().putLong(96 + 24, MILLISECOND_IN_NANOS);
            memory.bytes().putLong(96, 0).putLong(96 + 8, 0).putLong(96 + 16, 0);
            succeed("timer_settime", libc.syscall(TIMER_SETTIME, id, 0, memory.address() + 96, 0));
            return id;
        }
    }

    /** Ends a timer. */
    public static void delete(LibC libc, int timer) {
        succeed("timer_delete", libc.syscall(TIMER_DELETE, timer));
    }

    private static void succeed(String call, long result) {
        if (result != 0) {
            throw Failure.of(call, result);
        }
    }
}
