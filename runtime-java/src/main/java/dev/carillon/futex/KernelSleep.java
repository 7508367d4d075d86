package dev.carillon.futex;

import dev.carillon.sys.Errno;
import dev.carillon.sys.call.FutexCalls;

/**
 * Sleeps in the kernel.
 *
 * <p><b>See:</b> futex(2), FUTEX_WAIT_BITSET.
 */
// r[impl futex.shared] r[impl futex.deadline]
final class KernelSleep extends WordSleep {
    private final FutexCalls calls;

    KernelSleep(FutexCalls calls) {
        this.calls = calls;
    }

    @Override
    WaitResult await(FutexWord word, int expected, long deadlineNanos) throws InterruptedException {
        int result = Sleeper.ofThisThread(calls).sleep(word.address(), expected, deadlineNanos);
        return switch (result) {
            case -Errno.EAGAIN -> WaitResult.VALUE_CHANGED;
            case -Errno.ETIMEDOUT -> word.getVolatile() == expected ? WaitResult.TIMED_OUT : WaitResult.VALUE_CHANGED;
            default -> WaitResult.WOKEN;
        };
    }

    @Override
    int wake(FutexWord word, int most) {
        return calls.wake(word.address(), most);
    }
}
