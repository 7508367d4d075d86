package dev.carillon.process;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A process cannot be watched. Nothing is left of the attempt.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ProcessWatchException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final int errno;
    private final int pid;

    /** What was in the way. */
    public enum Reason {
        /** It has ended and its parent knows it, or there never was one, or the number is that of a thread or a group. */
        NO_SUCH_PROCESS(
                "it has ended, or the number is not that of a process; inside a container only its own processes can"
                        + " be seen"),

        /** A security module or a container's profile does not allow it. */
        NOT_PERMITTED("a security module or the profile of a container refuses it for this process"),

        /** The kernel has no pidfd_open, or a container's profile hides it, or {@code -Dcarillon.without} takes it away. */
        NO_PIDFD(
                "only a pidfd (Linux 5.3) tells a process from a later one with its number; ./carillon doctor says more"),

        /** No descriptor is left; a watch needs two. */
        NO_DESCRIPTOR(
                "this process has as many descriptors as it may (ulimit -n), or the machine (fs.file-max); raise the"
                        + " limit, or close some");

        private final String advice;

        Reason(String advice) {
            this.advice = advice;
        }
    }

    private ProcessWatchException(Reason reason, int errno, int pid, String why, @Nullable Throwable cause) {
        super("pid=" + pid + " cannot be watched: " + why + ", " + reason + "; " + reason.advice, cause);
        this.reason = reason;
        this.errno = errno;
        this.pid = pid;
    }

    static ProcessWatchException noSuchProcess(int pid) {
        return of(Reason.NO_SUCH_PROCESS, Errno.ESRCH, pid, null);
    }

    static ProcessWatchException noPidfd(int pid, Availability pidfds) {
        Throwable cause = pidfds.unavailabilityCause();
        int errno = cause instanceof SyscallException failure ? failure.errno() : Errno.ENOSYS;
        return new ProcessWatchException(Reason.NO_PIDFD, errno, pid, pidfds.toString(), cause);
    }

    /** Of what refused; the failure itself if it is none that has to do with the process or with descriptors. */
    static RuntimeException of(int pid, SyscallException failure) {
        return switch (failure.errno()) {
            // A thread, or a group whose leader has gone: EINVAL, from Linux 6.16 on ENOENT.
            case Errno.ESRCH, Errno.EINVAL, Errno.ENOENT -> of(Reason.NO_SUCH_PROCESS, failure.errno(), pid, failure);
            case Errno.EPERM, Errno.EACCES -> of(Reason.NOT_PERMITTED, failure.errno(), pid, failure);
            case Errno.EMFILE, Errno.ENFILE -> of(Reason.NO_DESCRIPTOR, failure.errno(), pid, failure);
            default -> failure;
        };
    }

    private static ProcessWatchException of(Reason reason, int errno, int pid, @Nullable Throwable cause) {
        return new ProcessWatchException(reason, errno, pid, Errno.name(errno) + " (" + errno + ")", cause);
    }

    /** What was in the way. */
    public Reason reason() {
        return reason;
    }

    /** The error number of the call that failed. */
    public int errno() {
        return errno;
    }

    /** Its name, as in {@code ESRCH}. */
    public String errnoName() {
        return Errno.name(errno);
    }

    /** The number of the process that was to be watched. */
    public int pid() {
        return pid;
    }
}
