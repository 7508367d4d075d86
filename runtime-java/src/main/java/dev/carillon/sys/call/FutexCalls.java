package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.layout.Constants.FUTEX_BITSET_MATCH_ANY;
import static dev.carillon.sys.layout.Constants.FUTEX_OP_ADD;
import static dev.carillon.sys.layout.Constants.FUTEX_PRIVATE_FLAG;
import static dev.carillon.sys.layout.Constants.FUTEX_WAIT_BITSET;
import static dev.carillon.sys.layout.Constants.FUTEX_WAKE;
import static dev.carillon.sys.layout.Constants.FUTEX_WAKE_OP;

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

    /** Adds nothing; the operation stands in the highest four bits, its operand in others. */
    private static final int ADD_NOTHING = FUTEX_OP_ADD << 28;

    private final LibC libc;

    FutexCalls(LibC libc) {
        this.libc = libc;
    }

    /**
     * Waits while the word has a value.
     *
     * @param word the address of an aligned int
     * @param deadlineNanos on the clock of System.nanoTime()
     * @return 0 when woken (or for no reason), -EAGAIN if the word has another value, -ETIMEDOUT, -EFAULT if its page is gone
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
        return switch (result) {
            case -Errno.EAGAIN, -Errno.ETIMEDOUT, -Errno.EFAULT -> result;
            default -> checked("futex", result);
        };
    }

    /** Wakes waiters, as many as given at most; returns how many. Those whose page is gone cannot be woken. */
    public int wake(long word, int most) {
        int result = libc.futex(aligned(word), FUTEX_WAKE, most);
        return result == -Errno.EFAULT ? 0 : checked("futex", result);
    }

    /**
     * Lets the kernel write to the page of a word, as a write of this process would, without a change of the word.
     *
     * <p>An atomic addition of nothing does that. Where there is no page (the file was truncated, or its file
     * system is full) the kernel answers EFAULT, and this process gets no SIGBUS. Every kernel has it, while
     * MADV_POPULATE_WRITE came with Linux 5.14. The private flag is set, so that the call wakes no thread: the kernel
     * finds sleepers on shared words without that flag only.
     *
     * @return false if a write would have been a SIGBUS or a SIGSEGV
     */
    public boolean reaches(long word) {
        int op = FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG;
        return libc.futex(aligned(word), op, 1, 0, word, ADD_NOTHING) != -Errno.EFAULT;
    }

    private static long aligned(long word) {
        if ((word & (Integer.BYTES - 1)) != 0 || word == 0) {
            throw new IllegalArgumentException("word=" + Long.toHexString(word) + ": is not an aligned address");
        }
        return word;
    }
}
