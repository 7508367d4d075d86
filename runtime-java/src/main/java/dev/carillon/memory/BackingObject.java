package dev.carillon.memory;

import static dev.carillon.sys.layout.Constants.AT_EMPTY_PATH;
import static dev.carillon.sys.layout.Constants.AT_FDCWD;
import static dev.carillon.sys.layout.Constants.F_ADD_SEALS;
import static dev.carillon.sys.layout.Constants.F_DUPFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.F_GET_SEALS;
import static dev.carillon.sys.layout.Constants.MFD_ALLOW_SEALING;
import static dev.carillon.sys.layout.Constants.MFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.O_CLOEXEC;
import static dev.carillon.sys.layout.Constants.O_NONBLOCK;
import static dev.carillon.sys.layout.Constants.STATX_SIZE;
import static dev.carillon.sys.layout.Constants.STATX_TYPE;
import static dev.carillon.sys.layout.Constants.S_IFMT;
import static dev.carillon.sys.layout.Constants.S_IFREG;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.layout.FileLayout.Statx;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.LongUnaryOperator;

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

    /** Non-blocking matters for a named pipe only: the open would wait for its other end. */
    private static final int OPEN_FLAGS = O_CLOEXEC | O_NONBLOCK;

    private static final Charset FILE_NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private final LibC libc;
    private final String what;
    private final Fd fd;

    private BackingObject(LibC libc, String what, int number) {
        this.libc = libc;
        this.what = what;
        this.fd = Fd.owning(libc, number);
    }

    // r[impl memory.descriptor]
    static BackingObject open(LibC libc, Path path, int flags) {
        String what = "path=" + path;
        long result =
                withCString(libc, path.toString(), name -> libc.openat(AT_FDCWD, name, flags | OPEN_FLAGS, OWNER_ONLY));
        return new BackingObject(libc, what, (int) checked("open", result, what));
    }

    static BackingObject memfd(LibC libc, String name) {
        String what = "memfd=" + name;
        long result = withCString(libc, name, cName -> libc.memfd_create(cName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
        return new BackingObject(libc, what, (int) checked("memfd_create", result, what));
    }

    /** A descriptor of our own to what somebody else has open. */
    static BackingObject copyOf(LibC libc, int number) {
        String what = "fd=" + number;
        long result = libc.fcntl(number, F_DUPFD_CLOEXEC, 0);
        return new BackingObject(libc, what, (int) checked("fcntl", result, what));
    }

    static void unlink(LibC libc, Path path) {
        long result = withCString(libc, path.toString(), name -> libc.unlinkat(AT_FDCWD, name, 0));
        checked("unlink", result, "path=" + path);
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
        int number = fd.enter();
        try {
            long result;
            do {
                result = libc.fallocate(number, 0, 0, size);
            } while (result == -Errno.EINTR);
            checked("fallocate", result, what + ", size=" + size);
        } finally {
            fd.leave();
        }
    }

    void seal(Set<Seal> seals) {
        int number = fd.enter();
        try {
            checked("fcntl", libc.fcntl(number, F_ADD_SEALS, Seal.flags(seals)), what + ", seals=" + seals);
        } finally {
            fd.leave();
        }
    }

    /** Its seals; none where the kernel knows none for this kind of file. */
    Set<Seal> seals() {
        int number = fd.enter();
        try {
            return Seal.of(Math.max(0, libc.fcntl(number, F_GET_SEALS, 0)));
        } finally {
            fd.leave();
        }
    }

    /** The length of a regular file. */
    // r[impl memory.check-before-map]
    long length() {
        ByteBuffer statx = ByteBuffer.allocateDirect(Statx.SIZE).order(ByteOrder.nativeOrder());
        int number = fd.enter();
        try {
            long into = libc.addressOf(statx);
            long result = withCString(
                    libc, "", path -> libc.statx(number, path, AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, into));
            checked("statx", result, what);
        } finally {
            fd.leave();
        }
        if ((statx.getShort(Statx.STX_MODE) & S_IFMT) != S_IFREG) {
            throw new IllegalArgumentException(what + " is not a regular file: only files and memfds can be mapped");
        }
        return statx.getLong(Statx.STX_SIZE);
    }

    private static long withCString(LibC libc, String text, LongUnaryOperator call) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("name=" + text.replace("\0", "\\0") + " has a zero character");
        }
        byte[] bytes = text.getBytes(FILE_NAMES);
        ByteBuffer cString = ByteBuffer.allocateDirect(bytes.length + 1).put(0, bytes);
        try {
            return call.applyAsLong(libc.addressOf(cString));
        } finally {
            Reference.reachabilityFence(cString);
        }
    }

    private static long checked(String call, long result, String subject) {
        if (result < 0) {
            int errno = (int) -result;
            throw new SyscallException(call, errno, Errno.name(errno), subject + advice(errno));
        }
        return result;
    }

    private static String advice(int errno) {
        return switch (errno) {
            case Errno.ENOSPC ->
                ": no room for it; enlarge the file system (in a container --shm-size) or ask for less";
            case Errno.EOPNOTSUPP -> ": this file system reserves no storage; use tmpfs, ext4, xfs or a memfd";
            case Errno.EEXIST -> ": open it instead, or remove it first";
            case Errno.EISDIR -> ": a folder cannot be mapped";
            case Errno.EACCES -> ": this user may not open it so; READ_ONLY may work";
            case Errno.EBADF -> ": it is not open in this process";
            default -> "";
        };
    }
}
