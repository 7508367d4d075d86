package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.layout.Constants.FIONREAD;
import static dev.carillon.sys.layout.Constants.IN_CLOEXEC;
import static dev.carillon.sys.layout.Constants.IN_NONBLOCK;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.Scratch;
import java.nio.file.Path;

/**
 * Changes in folders; read like any descriptor.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>See:</b> inotify(7).
 */
public final class InotifyCalls {
    private final LibC libc;

    InotifyCalls(LibC libc) {
        this.libc = libc;
    }

    /** A descriptor that does not block and is not inherited. */
    public Fd open() {
        int result = libc.inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (result == -Errno.EMFILE) {
            throw failure(
                    "inotify_init1",
                    result,
                    "this process has as many descriptors as it may (ulimit -n), or its user as many inotifies; close"
                            + " some, or raise the limit or fs.inotify.max_user_instances");
        }
        return Fd.opened(libc, checked("inotify_init1", result));
    }

    /** Watches a path for what is in the mask (IN_ flags); returns the number that its events carry. */
    public int add(int fd, Path path, int mask) {
        try (NativeBytes name = NativeBytes.path(libc, path)) {
            int result = libc.inotify_add_watch(descriptor(fd), name.address(), mask);
            if (result < 0) {
                throw addFailure(result, path);
            }
            return result;
        }
    }

    private static SyscallException addFailure(int result, Path path) {
        String advice = switch (-result) {
            case Errno.ENOTDIR -> "that is no folder, or a part of the path is none; give the folder it is in";
            case Errno.ENOENT -> "there is no such folder; create it before, or correct the path";
            case Errno.EACCES -> "this user may not read that folder, or not enter one above it";
            case Errno.ENOSPC ->
                "this user has as many watches as it may; raise fs.inotify.max_user_watches, or watch fewer"
                        + " folders";
            default -> null;
        };
        return advice == null
                ? Failure.of("inotify_add_watch", result, "path=" + path)
                : failure("inotify_add_watch", result, "path=" + path + ": " + advice);
    }

    private static SyscallException failure(String call, int result, String detail) {
        return new SyscallException(call, -result, Errno.name(-result), detail);
    }

    /** Ends the watching of what {@link #add} has numbered; nothing happens if it has ended. */
    public void remove(int fd, int watch) {
        int result = libc.inotify_rm_watch(descriptor(fd), watch);
        if (result < 0 && result != -Errno.EINVAL) {
            throw Failure.of("inotify_rm_watch", result, "watch=" + watch);
        }
    }

    /** How many bytes of events are there to be read. */
    public int backlog(int fd) {
        Scratch scratch = Scratch.ofThisThread(libc);
        checked("ioctl", libc.ioctl(descriptor(fd), FIONREAD, scratch.address));
        return scratch.bytes.getInt(0);
    }
}
