package dev.carillon.futex;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.FutexCalls;
import dev.carillon.sys.call.Sys;
import org.jspecify.annotations.Nullable;

/**
 * Sleeps in the kernel.
 *
 * <p><b>See:</b> futex(2), FUTEX_WAIT_BITSET.
 */
// r[impl futex.shared] r[impl futex.deadline] r[impl futex.truncation]
final class KernelSleep implements WordSleep {
    /**
     * The longest sleep on a word in a file that can be made shorter. A page that is gone has no address for the kernel, so
     * no wake reaches a thread that sleeps there.
     */
    private static final long SLICE_NANOS = 50_000_000;

    /** Not found while a class is initialized: what fails for want of memory is done again. */
    private static volatile @Nullable WordSleep found;

    private final FutexCalls calls;

    KernelSleep(FutexCalls calls) {
        this.calls = calls;
    }

    /** How threads sleep on this machine: in the kernel, or where that has no futexes by polling. */
    // r[impl futex.fallback]
    static WordSleep orPolling() {
        WordSleep sleep = found;
        if (sleep == null) {
            sleep = Feature.FUTEX.availability().isAvailable()
                    ? new KernelSleep(Sys.get().futexes())
                    : new PollingSleep();
            found = sleep;
        }
        return sleep;
    }

    @Override
    public WaitResult await(SharedWord word, int expected, long deadlineNanos) throws InterruptedException {
        Sleeper sleeper = Sleeper.ofThisThread(calls);
        while (true) {
            long until = word.canShrink() ? Math.min(deadlineNanos, System.nanoTime() + SLICE_NANOS) : deadlineNanos;
            int result = sleeper.sleep(word.address(), expected, until);
            switch (result) {
                case -Errno.EAGAIN -> {
                    return WaitResult.VALUE_CHANGED;
                }
                case -Errno.EFAULT -> throw word.lost();
                case -Errno.ETIMEDOUT -> {
                    if (until == deadlineNanos) {
                        return word.look() == expected ? WaitResult.TIMED_OUT : WaitResult.VALUE_CHANGED;
                    }
                    if (word.isClosed()) {
                        return WaitResult.WOKEN;
                    }
                    // The kernel says nothing of a page that is lost where a page of zeros lies now.
                    if (word.look() != expected) {
                        return WaitResult.VALUE_CHANGED;
                    }
                }
                default -> {
                    return WaitResult.WOKEN;
                }
            }
        }
    }

    @Override
    public int wake(SharedWord word, int most) {
        return calls.wake(word.address(), most);
    }

    @Override
    public boolean reachesAll() {
        return true;
    }
}
