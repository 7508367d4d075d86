package dev.carillon.sys;

import dev.carillon.SyscallException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the exception of a call that failed unexpectedly, with advice where the number alone tells what to do. */
// r[impl sys.failure]
public final class Failure {
    private static final Set<String> TRANSIENT = Set.of("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR");

    private Failure() {}

    /** From what a call returned, which is -errno. */
    public static SyscallException of(String call, long result) {
        return of(call, result, null);
    }

    /** From what a call returned, and what it was about, as in {@code path=/tmp/x}. */
    public static SyscallException of(String call, long result, @Nullable String subject) {
        int errno = (int) -result;
        String advice = advice(errno);
        String more = subject == null || advice == null ? null : subject + "; " + advice;
        return new SyscallException(
                call, errno, Errno.name(errno), more != null ? more : subject != null ? subject : advice);
    }

    /** Whether a failure, or its cause, is for want of descriptors or memory, and so may be over when it is tried again. */
    // r[impl signal.transient]
    public static boolean isTransient(Throwable failure) {
        Throwable cause = failure instanceof SyscallException ? failure : failure.getCause();
        return cause instanceof SyscallException call && TRANSIENT.contains(call.errnoName());
    }

    /** The same failure with what it was about, and advice if there is some. */
    public static SyscallException about(SyscallException failure, String subject, @Nullable String advice) {
        if (advice == null) {
            return of(failure.call(), -failure.errno(), subject);
        }
        return new SyscallException(failure.call(), failure.errno(), failure.errnoName(), subject + ": " + advice);
    }

    private static @Nullable String advice(int errno) {
        return switch (errno) {
            case Errno.EMFILE -> "this process has as many descriptors as it may; raise the limit (ulimit -n)";
            case Errno.ENFILE -> "the machine has as many open files as it may; raise fs.file-max";
            case Errno.ENOSYS -> "the kernel is too old for this call, or a container's seccomp profile hides it";
            case Errno.ENOSPC -> "the file system is full; for /dev/shm in a container raise its size (--shm-size)";
            default -> null;
        };
    }
}
