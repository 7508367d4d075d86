package dev.carillon;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A system call failed in a way its caller does not expect.
 *
 * <p>It is unchecked, because nearly every such failure is a bug or a limit of the machine; outcomes that belong to
 * normal work (nothing to read, time is out) are values and never come as this exception.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>See:</b> errno(3).
 */
public final class SyscallException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;
    private final String errnoName;

    /**
     * Describes one failed call.
     *
     * @param call the C name of the call
     * @param errno the error number that the kernel gave
     * @param errnoName its name, as in {@code EEXIST}
     * @param advice what the reader can do about it, or null
     */
    public SyscallException(String call, int errno, String errnoName, @Nullable String advice) {
        super(call + " failed: " + errnoName + " (" + errno + ")" + (advice == null ? "" : ": " + advice));
        this.call = call;
        this.errno = errno;
        this.errnoName = errnoName;
    }

    /** The C name of the call that failed. */
    public String call() {
        return call;
    }

    /** The error number that the kernel gave. */
    public int errno() {
        return errno;
    }

    /** The name of the error number, as in {@code EEXIST}. */
    public String errnoName() {
        return errnoName;
    }
}
