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
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file or memfd behind a region, as a descriptor of our own.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the code that opens it closes the descriptor, or gives it to a {@link Mapping}.
 *
 * <p><b>See:</b> open(2), fallocate(2), statx(2), memfd_create(2).
 */
final class BackingObject {
    private static final int OWNER_ONLY = 0600;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int ALL_PERMISSIONS = 07777;

    private final Sys sys;
    private final String what;
    private @Nullable Fd fd;

    /** The file of that description, which is opened next, once. */
    BackingObject(Sys sys, String what) {
        this.sys = sys;
        this.what = what;
    }

    // r[impl memory.close.once]
    void open(Path path, int flags) {
        int mode = (flags & O_CREAT) == 0 ? 0 : OWNER_ONLY;
        // Non-blocking matters for a named pipe only, where the open would wait for its other end.
        fd = sys.files().open(path, flags | O_NONBLOCK, mode);
    }

    void create(String memfd) {
        fd = sys.files().memory(memfd);
    }

    /** A descriptor of our own to a file that the caller has open. */
    void copy(int number) {
        fd = sys.descriptors().duplicateFrom(number, 0);
    }

    /** Closes it if it was opened. */
    void close() {
        if (fd != null) {
            fd.close();
        }
    }

    Sys sys() {
        return sys;
    }

    String what() {
        return what;
    }

    Fd fd() {
        return Objects.requireNonNull(fd, "not opened yet");
    }

    int number() {
        int number = fd().acquire();
        fd().release();
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

    /** As {@link #reserve}, but answers 0 or -errno. */
    int allocate(long size) {
        int number = fd().acquire();
        try {
            int result;
            do {
                result = sys.libc().fallocate(number, 0, 0, size);
            } while (result == -Errno.EINTR);
            return result;
        } finally {
            fd().release();
        }
    }

    void seal(Set<Seal> seals) {
        int number = fd().acquire();
        try {
            sys.files().addSeals(number, Seal.flags(seals));
        } finally {
            fd().release();
        }
    }

    /** Its seals; none where the kernel knows none for this kind of file. */
    Set<Seal> seals() {
        int number = fd().acquire();
        try {
            return Seal.of(sys.files().seals(number));
        } catch (SyscallException e) {
            if (e.errno() == Errno.EINVAL) {
                return Set.of();
            }
            throw e;
        } finally {
            fd().release();
        }
    }

    /** The length of a regular file. */
    // r[impl memory.check-before-map]
    long length() {
        return regular().size();
    }

    /**
     * Refuses a file that is not what we would have made: anybody can put one at an agreed place, as in /dev/shm.
     *
     * @throws SyscallException with ENOENT if it was removed meanwhile
     */
    // r[impl memory.ours]
    void ensureOurs() {
        FileStatus status = regular();
        int uid = sys.libc().getuid();
        if (status.links() == 0) {
            throw Failure.of("openat", -Errno.ENOENT, what);
        }
        if (status.uid() != uid) {
            throw refused("belongs to uid=" + status.uid() + ", and this process to uid=" + uid);
        }
        if ((status.mode() & WRITABLE_BY_OTHERS) != 0) {
            throw refused("may be written by others, mode=" + Integer.toOctalString(status.mode() & ALL_PERMISSIONS));
        }
        if (status.links() > 1) {
            throw refused("has other names, links=" + status.links());
        }
    }

    private IllegalStateException refused(String why) {
        return new IllegalStateException(what + " was there already and " + why
                + ": somebody may have put it there; remove it, use a folder of your own, or openFile if it is meant");
    }

    private FileStatus regular() {
        int number = fd().acquire();
        try {
            FileStatus status = sys.files().status(number);
            if (!status.isRegular()) {
                throw new IllegalArgumentException(
                        what + " is not a regular file: only files and memfds can be mapped");
            }
            return status;
        } finally {
            fd().release();
        }
    }
}
