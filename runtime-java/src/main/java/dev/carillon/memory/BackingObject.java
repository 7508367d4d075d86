package dev.carillon.memory;

import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_NONBLOCK;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.FileStatus;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import java.util.Set;

/**
 * The file or memfd behind a region, as a descriptor of our own.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> whoever has opened it closes the descriptor, or gives it to a {@link Mapping}.
 *
 * <p><b>See:</b> open(2), fallocate(2), statx(2), memfd_create(2).
 */
final class BackingObject {
    private static final int OWNER_ONLY = 0600;

    private final Sys sys;
    private final String what;
    private final Fd fd;

    private BackingObject(Sys sys, String what, Fd fd) {
        this.sys = sys;
        this.what = what;
        this.fd = fd;
    }

    // r[impl memory.close.once]
    static BackingObject open(Sys sys, Path path, int flags) {
        int mode = (flags & O_CREAT) == 0 ? 0 : OWNER_ONLY;
        // Non-blocking matters for a named pipe only, where the open would wait for its other end.
        return new BackingObject(sys, "path=" + path, sys.files().open(path, flags | O_NONBLOCK, mode));
    }

    static BackingObject memfd(Sys sys, String name) {
        return new BackingObject(sys, "memfd=" + name, sys.files().memory(name));
    }

    /** A descriptor of our own to what somebody else has open. */
    static BackingObject copyOf(Sys sys, int number) {
        return new BackingObject(sys, "fd=" + number, sys.descriptors().duplicateFrom(number, 0));
    }

    Sys sys() {
        return sys;
    }

    String what() {
        return what;
    }

    Fd fd() {
        return fd;
    }

    int number() {
        int number = fd.enter();
        fd.leave();
        return number;
    }

    /** Makes it at least that long, with storage for every byte, so that no later access finds the storage full. */
    // r[impl memory.reserve]
    void reserve(long size) {
        int result = allocate(size);
        if (result < 0) {
            throw Failure.of("fallocate", result, what + ", size=" + size);
        }
    }

    /** As {@link #reserve} for a file that is mapped already; where fallocate is missing, by a fault of each page. */
    // r[impl memory.reserve]
    void reserve(LossyPages mapped, int size) {
        int result = allocate(size);
        if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS) {
            result = mapped.reachAll() ? 0 : -Errno.ENOSPC;
        }
        if (result < 0) {
            throw Failure.of("fallocate", result, what + ", size=" + size);
        }
    }

    private int allocate(long size) {
        int number = fd.enter();
        try {
            int result;
            do {
                result = sys.libc().fallocate(number, 0, 0, size);
            } while (result == -Errno.EINTR);
            return result;
        } finally {
            fd.leave();
        }
    }

    void seal(Set<Seal> seals) {
        int number = fd.enter();
        try {
            sys.files().addSeals(number, Seal.flags(seals));
        } finally {
            fd.leave();
        }
    }

    /** Its seals; none where the kernel knows none for this kind of file. */
    Set<Seal> seals() {
        int number = fd.enter();
        try {
            return Seal.of(sys.files().seals(number));
        } catch (SyscallException e) {
            if (e.errno() == Errno.EINVAL) {
                return Set.of();
            }
            throw e;
        } finally {
            fd.leave();
        }
    }

    /** The length of a regular file. */
    // r[impl memory.check-before-map]
    long length() {
        int number = fd.enter();
        try {
            FileStatus status = sys.files().status(number);
            if (!status.isRegular()) {
                throw new IllegalArgumentException(
                        what + " is not a regular file: only files and memfds can be mapped");
            }
            return status.size();
        } finally {
            fd.leave();
        }
    }
}
