package dev.carillon.futex;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at the word again and again; it does not see a wake that changes nothing.
 *
 * <p>It wakes nevertheless: another process may sleep in the kernel on the same word.
 */
// r[impl futex.fallback]
final class PollingSleep implements WordSleep {
    private static final long FIRST_PAUSE_NANOS = 1_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;

    @Override
    public WaitResult await(SharedWord word, int expected, long deadlineNanos) throws InterruptedException {
        long pause = FIRST_PAUSE_NANOS;
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while it waited on a word");
            }
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                return word.look() == expected ? WaitResult.TIMED_OUT : WaitResult.VALUE_CHANGED;
            }
            LockSupport.parkNanos(word, Math.min(pause, left));
            pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
            if (word.look() != expected) {
                return WaitResult.WOKEN;
            }
        }
    }

    @Override
    public int wake(SharedWord word, int most) {
        return wakeInKernel(word, most);
    }

    /** Where this process alone may not call futex(2), others sleep in it. */
    @Override
    public boolean reachesAll() {
        return false;
    }

    static int wakeInKernel(SharedWord word, int most) {
        if (!LibC.availability().isAvailable()) {
            return 0;
        }
        try {
            return Sys.get().futexes().wake(word.address(), most);
        } catch (SyscallException failure) {
            if (failure.errno() == Errno.ENOSYS || failure.errno() == Errno.EPERM) {
                return 0; // there is no such call here; where others have it, a bell tells them
            }
            throw failure;
        }
    }
}
