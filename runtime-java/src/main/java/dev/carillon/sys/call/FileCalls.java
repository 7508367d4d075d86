package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.call.Results.notNegative;
import static dev.carillon.sys.layout.Constants.AT_EMPTY_PATH;
import static dev.carillon.sys.layout.Constants.AT_FDCWD;
import static dev.carillon.sys.layout.Constants.AT_REMOVEDIR;
import static dev.carillon.sys.layout.Constants.AT_SYMLINK_NOFOLLOW;
import static dev.carillon.sys.layout.Constants.F_ADD_SEALS;
import static dev.carillon.sys.layout.Constants.F_GET_SEALS;
import static dev.carillon.sys.layout.Constants.LOCK_EX;
import static dev.carillon.sys.layout.Constants.LOCK_NB;
import static dev.carillon.sys.layout.Constants.MFD_ALLOW_SEALING;
import static dev.carillon.sys.layout.Constants.MFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.O_CLOEXEC;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_EXCL;
import static dev.carillon.sys.layout.Constants.STATX_BASIC_STATS;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.layout.FileLayout.OpenHow;
import dev.carillon.sys.layout.FileLayout.Statx;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files by name and by descriptor. What is opened here is not inherited by children (O_CLOEXEC).
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the caller closes each Fd it gets.
 */
// r[impl sys.inherit]
public final class FileCalls {
    /** NAME_MAX, less the "memfd:" that the kernel writes before it. */
    private static final int LONGEST_MEMORY_NAME = 249;

    private final LibC libc;

    FileCalls(LibC libc) {
        this.libc = libc;
    }

    /**
     * Opens a file, with openat2 where the kernel has it.
     *
     * @param flags O_ flags of open(2)
     * @param mode permissions of a file that is created, else 0
     */
    public Fd open(String path, int flags, int mode) {
        return open(path, flags, mode, Feature.OPENAT2.availability().isAvailable());
    }

    /** As {@link #open(String, int, int)}, by the bytes of a path. */
    public Fd open(Path path, int flags, int mode) {
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            return open(path, name, flags, mode, Feature.OPENAT2.availability().isAvailable());
        }
    }

    Fd open(String path, int flags, int mode, boolean openat2) {
        try (NativeBytes name = NativeBytes.text(libc, "path", path)) {
            return open(path, name, flags, mode, openat2);
        }
    }

    private Fd open(Object path, NativeBytes name, int flags, int mode, boolean openat2) {
        int fd;
        do {
            fd = openat2
                    ? openat2(name.address(), flags | O_CLOEXEC, mode)
                    : libc.openat(AT_FDCWD, name.address(), flags | O_CLOEXEC, mode);
        } while (fd == -Errno.EINTR);
        if (fd < 0) {
            throw Failure.of(openat2 ? "openat2" : "openat", fd, "path=" + path);
        }
        try {
            return Fd.owning(libc, fd);
        } catch (Error noMemory) {
            libc.close(fd);
            if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
                libc.unlinkat(AT_FDCWD, name.address(), 0); // it was this call that made it
            }
            throw noMemory;
        }
    }

    private int openat2(long path, int flags, int mode) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putLong(OpenHow.FLAGS, Integer.toUnsignedLong(flags));
        scratch.bytes.putLong(OpenHow.MODE, mode);
        scratch.bytes.putLong(OpenHow.RESOLVE, 0);
        return libc.openat2(AT_FDCWD, path, scratch.address, OpenHow.SIZE);
    }

    /**
     * Memory without a name that descriptors can be passed of; growth and writing can be sealed.
     *
     * @throws IllegalArgumentException if the kernel takes no such name
     */
    // r[impl memory.name]
    public Fd memory(String name) {
        try (NativeBytes text = NativeBytes.text(libc, "name", name)) {
            int length = text.bytes().capacity() - 1;
            if (length > LONGEST_MEMORY_NAME) {
                throw new IllegalArgumentException("name of " + length + " bytes: that of a memfd has "
                        + LONGEST_MEMORY_NAME + " at most; it need not be unique, so choose a shorter one");
            }
            int fd = libc.memfd_create(text.address(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
            return Fd.opened(libc, checked("memfd_create", fd));
        }
    }

    /** Removes a name; false if there was none. */
    public boolean unlink(Path path) {
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            int result = libc.unlinkat(AT_FDCWD, name.address(), 0);
            if (result < 0 && result != -Errno.ENOENT) {
                throw Failure.of("unlinkat", result, "path=" + path);
            }
            return result == 0;
        }
    }

    /** Makes a folder; false if something has that name. */
    public boolean makeFolder(Path path, int mode) {
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            int result = libc.mkdirat(AT_FDCWD, name.address(), mode);
            if (result < 0 && result != -Errno.EEXIST) {
                throw Failure.of("mkdirat", result, "path=" + path);
            }
            return result == 0;
        }
    }

    /** Removes a folder; false if there is none, or something is in it. */
    public boolean removeFolder(Path path) {
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            int result = libc.unlinkat(AT_FDCWD, name.address(), AT_REMOVEDIR);
            if (result < 0 && result != -Errno.ENOENT && result != -Errno.ENOTEMPTY) {
                throw Failure.of("unlinkat", result, "path=" + path);
            }
            return result == 0;
        }
    }

    /** Sets the permissions of what has that name; links are followed. */
    public void permissions(Path path, int mode) {
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            int result = libc.fchmodat(AT_FDCWD, name.address(), mode);
            if (result < 0) {
                throw Failure.of("fchmodat", result, "path=" + path);
            }
        }
    }

    /** Locks a file or folder for this opening of it, until its last copy is closed; false if another opening has the lock. */
    public boolean tryLock(int fd) {
        int result;
        do {
            result = libc.flock(descriptor(fd), LOCK_EX | LOCK_NB);
        } while (result == -Errno.EINTR);
        return result != -Errno.EAGAIN && checked("flock", result) == 0;
    }

    public FileStatus status(int fd) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.put(0, (byte) 0);
        long out = scratch.address + Statx.SIZE;
        checked("statx", libc.statx(descriptor(fd), scratch.address, AT_EMPTY_PATH, STATX_BASIC_STATS, out));
        return statusIn(scratch.bytes);
    }

    /** Of what has that name, without a descriptor; a symbolic link itself. Null if there is nothing. */
    public @Nullable FileStatus statusOf(Path path) {
        Scratch scratch = Scratch.ofThisThread(libc);
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            long out = scratch.address + Statx.SIZE;
            int result = libc.statx(AT_FDCWD, name.address(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, out);
            if (result == -Errno.ENOENT || result == -Errno.ENOTDIR) {
                return null;
            }
            if (result < 0) {
                throw Failure.of("statx", result, "path=" + path);
            }
        }
        return statusIn(scratch.bytes);
    }

    private static FileStatus statusIn(ByteBuffer bytes) {
        long major = Integer.toUnsignedLong(bytes.getInt(Statx.SIZE + Statx.STX_DEV_MAJOR));
        long minor = Integer.toUnsignedLong(bytes.getInt(Statx.SIZE + Statx.STX_DEV_MINOR));
        return new FileStatus(
                Short.toUnsignedInt(bytes.getShort(Statx.SIZE + Statx.STX_MODE)),
                bytes.getLong(Statx.SIZE + Statx.STX_SIZE),
                bytes.getLong(Statx.SIZE + Statx.STX_INO),
                major << Integer.SIZE | minor,
                bytes.getInt(Statx.SIZE + Statx.STX_UID),
                bytes.getInt(Statx.SIZE + Statx.STX_NLINK));
    }

    /** Sets the length; new bytes are zero and have no memory behind them yet, see {@link #allocate}. */
    public void truncate(int fd, long length) {
        int result;
        do {
            result = libc.ftruncate(descriptor(fd), notNegative("length", length));
        } while (result == -Errno.EINTR);
        checked("ftruncate", result);
    }

    /** Gets the memory or disk for a range now, so that a full file system is an error here and not a SIGBUS later. */
    public void allocate(int fd, long offset, long length) {
        int result;
        do {
            result = libc.fallocate(descriptor(fd), 0, notNegative("offset", offset), notNegative("length", length));
        } while (result == -Errno.EINTR);
        checked("fallocate", result);
    }

    /** Forbids the given changes (F_SEAL_ flags) to everybody, for ever. */
    public void addSeals(int fd, int seals) {
        checked("fcntl", libc.fcntl(descriptor(fd), F_ADD_SEALS, seals));
    }

    public int seals(int fd) {
        return checked("fcntl", libc.fcntl(descriptor(fd), F_GET_SEALS, 0));
    }
}
