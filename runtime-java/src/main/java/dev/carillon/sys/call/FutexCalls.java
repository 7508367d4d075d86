package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.layout.Constants.FUTEX_BITSET_MATCH_ANY;
import static dev.carillon.sys.layout.Constants.FUTEX_WAIT_BITSET;
import static dev.carillon.sys.layout.Constants.FUTEX_WAKE;

import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.layout.TimeLayout.Timespec;

/**
 * Waiting on an int in memory, and waking who waits, across processes.
 *
 * <p><b>Threading:</b> any thread; waiting blocks it.
 *
 * <p><b>See:</b> futex(2).
 */
public final class FutexCalls {
    private static final int NO_DEADLINE = 0;

    private final LibC libc;

    FutexCalls(LibC libc) {
        this.libc = libc;
    }

    /**
     * Waits while the word has a value.
     *
     * @param word the address of an aligned int
     * @param deadlineNanos on the clock of System.nanoTime()
     * @return 0 when woken (or for no reason), -EAGAIN if the word has another value, -ETIMEDOUT
     */
    public int awaitUntil(long word, int expected, long deadlineNanos) {
        Scratch scratch = Scratch.ofThisThread(libc);
        Timespec.put(scratch.bytes, 0, Math.max(0, deadlineNanos));
        return await(word, expected, scratch.address);
    }

    /** As {@link #awaitUntil}, without end. */
    public int await(long word, int expected) {
        return await(word, expected, NO_DEADLINE);
    }

    // r[impl sys.interrupted]
    private int await(long word, int expected, long deadline) {
        LoopThreads.ensureMayBlock("futex wait");
        int result;
        do {
            // The deadline is absolute (FUTEX_WAIT would take a duration), so an interruption costs no time.
            result = libc.futex(aligned(word), FUTEX_WAIT_BITSET, expected, deadline, 0, FUTEX_BITSET_MATCH_ANY);
        } while (result == -Errno.EINTR);
        return result == -Errno.EAGAIN || result == -Errno.ETIMEDOUT ? result : checked("futex", result);
    }

    /** Wakes waiters, as many as given at most; returns how many. */
    public int wake(long word, int most) {
        return checked("futex", libc.futex(aligned(word), FUTEX_WAKE, most));
    }

    private static long aligned(long word) {
        if ((word & (Integer.BYTES - 1)) != 0 || word == 0) {
            throw new IllegalArgumentException("word=" + Long.toHexString(word) + ": is not an aligned address");
        }
        return word;
    }
}
