package dev.carillon.sys;

import dev.carillon.sys.layout.Architecture;
import dev.carillon.sys.layout.SigsetLayout;

/** Takes blocked signals out of the queue of this thread. See sigtimedwait(2). */
public final class PendingSignals {
    private static final int RT_SIGTIMEDWAIT = Architecture.isX86() ? 128 : 137;

    private PendingSignals() {}

    /** Takes one of a set, if there is one, and writes its siginfo_t; returns its number, or -EAGAIN. */
    public static int take(LibC libc, long set, long siginfo) {
        try (NativeBytes memory = NativeBytes.allocate(libc, 64)) {
            memory.bytes().putLong(0, set);
            long atOnce = memory.address() + 16;
            return (int) libc.syscall(RT_SIGTIMEDWAIT, memory.address(), siginfo, atOnce, SigsetLayout.KERNEL_SIZE);
        }
    }
}
