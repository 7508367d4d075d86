package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.call.Results.notNegative;
import static dev.carillon.sys.call.Results.orAgain;
import static dev.carillon.sys.layout.Constants.FD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.F_DUPFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.F_GETFD;
import static dev.carillon.sys.layout.Constants.F_GETFL;
import static dev.carillon.sys.layout.Constants.F_SETFD;
import static dev.carillon.sys.layout.Constants.F_SETFL;
import static dev.carillon.sys.layout.Constants.F_SETPIPE_SZ;
import static dev.carillon.sys.layout.Constants.O_CLOEXEC;
import static dev.carillon.sys.layout.Constants.O_NONBLOCK;
import static dev.carillon.sys.layout.Constants.RWF_NOWAIT;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;

/**
 * What can be done with any descriptor: reading, writing, flags, copies.
 *
 * <p>Reads and writes return the number of bytes, or -EAGAIN where a descriptor that does not block would have to; a
 * read returns 0 at the end; a write returns -EPIPE when the other end is closed. An interrupted one is made again.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.interrupted]
public final class DescriptorCalls {
    private final LibC libc;

    DescriptorCalls(LibC libc) {
        this.libc = libc;
    }

    public long read(int fd, long address, long length) {
        long result;
        do {
            result = libc.read(descriptor(fd), address, notNegative("length", length));
        } while (result == -Errno.EINTR);
        return orAgain("read", result);
    }

    public long write(int fd, long address, long length) {
        long result;
        do {
            result = libc.write(descriptor(fd), address, notNegative("length", length));
        } while (result == -Errno.EINTR);
        return orGone("write", result);
    }

    /** Reads into an array of struct iovec. */
    public long readv(int fd, long iovecs, int count) {
        long result;
        do {
            result = libc.readv(descriptor(fd), iovecs, count);
        } while (result == -Errno.EINTR);
        return orAgain("readv", result);
    }

    /** Writes from an array of struct iovec. */
    public long writev(int fd, long iovecs, int count) {
        long result;
        do {
            result = libc.writev(descriptor(fd), iovecs, count);
        } while (result == -Errno.EINTR);
        return orGone("writev", result);
    }

    /** Reads as readv, but never waits, whatever O_NONBLOCK says; -EOPNOTSUPP where the kernel cannot. */
    public long readvNow(int fd, long iovecs, int count) {
        long result;
        do {
            result = libc.preadv2(descriptor(fd), iovecs, count, -1, RWF_NOWAIT);
        } while (result == -Errno.EINTR);
        return isRefused(result) ? -Errno.EOPNOTSUPP : orAgain("preadv2", result);
    }

    /** Writes as writev, but never waits, whatever O_NONBLOCK says; -EOPNOTSUPP where the kernel cannot. */
    public long writevNow(int fd, long iovecs, int count) {
        long result;
        do {
            result = libc.pwritev2(descriptor(fd), iovecs, count, -1, RWF_NOWAIT);
        } while (result == -Errno.EINTR);
        return isRefused(result) ? -Errno.EOPNOTSUPP : orGone("pwritev2", result);
    }

    /** For this kind of descriptor, by an old kernel, or by a container's profile. */
    private static boolean isRefused(long result) {
        return result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS || result == -Errno.EPERM;
    }

    /** Reads at a position, which stays out of the descriptor's own. */
    public long readAt(int fd, long address, long length, long position) {
        long result;
        do {
            result = libc.pread(descriptor(fd), address, notNegative("length", length), position);
        } while (result == -Errno.EINTR);
        return orAgain("pread", result);
    }

    /** Writes at a position, which stays out of the descriptor's own. */
    public long writeAt(int fd, long address, long length, long position) {
        long result;
        do {
            result = libc.pwrite(descriptor(fd), address, notNegative("length", length), position);
        } while (result == -Errno.EINTR);
        return orAgain("pwrite", result);
    }

    /** A pipe: the end to read from, the end to write to; not inherited. */
    public Fd[] pipe(boolean nonBlocking) {
        int flags = O_CLOEXEC | (nonBlocking ? O_NONBLOCK : 0);
        return OpenedPair.of(libc, "pipe2", numbers -> libc.pipe2(numbers, flags));
    }

    /**
     * Has a pipe hold so many bytes, or the largest half, quarter and so on that the user may have.
     *
     * @return how many it holds, whole pages
     */
    public int resizePipe(int fd, int bytes) {
        int result;
        int wanted = bytes;
        do {
            result = libc.fcntl(descriptor(fd), F_SETPIPE_SZ, wanted);
            wanted /= 2;
        } while (result == -Errno.EPERM && wanted > 0);
        return checked("fcntl", result);
    }

    /** A copy of a descriptor with the lowest free number from a given one on; not inherited. */
    public Fd duplicateFrom(int fd, int lowest) {
        return Fd.opened(libc, checked("fcntl", libc.fcntl(descriptor(fd), F_DUPFD_CLOEXEC, lowest)));
    }

    /** Makes a number mean what another means; what it meant before is closed. */
    public void replace(int from, int to) {
        int result;
        do {
            // EBUSY: another thread is just opening this number.
            result = libc.dup3(descriptor(from), descriptor(to), O_CLOEXEC);
        } while (result == -Errno.EINTR || result == -Errno.EBUSY);
        checked("dup3", result);
    }

    public boolean isNonBlocking(int fd) {
        return (checked("fcntl", libc.fcntl(descriptor(fd), F_GETFL, 0)) & O_NONBLOCK) != 0;
    }

    /** Changes a flag that all copies of a descriptor share, in other processes too; returns what it was. */
    public boolean setNonBlocking(int fd, boolean nonBlocking) {
        int flags = checked("fcntl", libc.fcntl(descriptor(fd), F_GETFL, 0));
        boolean before = (flags & O_NONBLOCK) != 0;
        if (before != nonBlocking) {
            checked("fcntl", libc.fcntl(fd, F_SETFL, nonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
        }
        return before;
    }

    public boolean isCloseOnExec(int fd) {
        return (checked("fcntl", libc.fcntl(descriptor(fd), F_GETFD, 0)) & FD_CLOEXEC) != 0;
    }

    /** Whether children that are executed lack this descriptor. */
    public void setCloseOnExec(int fd, boolean closeOnExec) {
        checked("fcntl", libc.fcntl(descriptor(fd), F_SETFD, closeOnExec ? FD_CLOEXEC : 0));
    }

    private static long orGone(String call, long result) {
        return result == -Errno.EPIPE ? result : orAgain(call, result);
    }
}
