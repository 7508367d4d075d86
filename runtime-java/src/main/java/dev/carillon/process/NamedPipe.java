package dev.carillon.process;

import static dev.carillon.sys.layout.Constants.O_NONBLOCK;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static dev.carillon.sys.layout.Constants.O_WRONLY;
import static dev.carillon.sys.layout.Constants.POLLHUP;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.S_IFIFO;
import static dev.carillon.sys.layout.Constants.S_IFMT;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Opens one end of a named pipe for a child without waiting for the other end: a start takes no time, also on the thread of
 * a loop.
 *
 * <p><b>See:</b> fifo(7).
 */
// r[impl process.named-pipe]
final class NamedPipe {
    private NamedPipe() {}

    static boolean is(Path path) {
        try {
            return Files.getAttribute(path, "unix:mode") instanceof Integer mode && (mode & S_IFMT) == S_IFIFO;
        } catch (IOException notThere) {
            return false;
        }
    }

    /** Fails with ENXIO if no process has the other end open; what is returned blocks, as children expect it. */
    static Fd open(Sys sys, Path path, int flags) {
        Fd end = (flags & O_WRONLY) != 0 ? writing(sys, path, flags) : reading(sys, path, flags);
        boolean complete = false;
        try {
            sys.descriptors().setNonBlocking(end.acquire(), false);
            end.release();
            complete = true;
            return end;
        } finally {
            if (!complete) {
                end.close();
                end.release();
            }
        }
    }

    private static Fd writing(Sys sys, Path path, int flags) {
        try {
            return sys.files().open(path, flags | O_NONBLOCK, 0);
        } catch (SyscallException failure) {
            throw failure.errno() == Errno.ENXIO ? noOtherEnd(path, "reads") : failure;
        }
    }

    /**
     * The kernel tells of a missing writer only one who was there when a writer was. So there is one for a moment: an end
     * for both, which opens at once.
     */
    private static Fd reading(Sys sys, Path path, int flags) {
        Fd end;
        Fd both = bothEnds(sys, path);
        try {
            end = sys.files().open(path, flags | O_NONBLOCK, 0);
        } finally {
            if (both != null) {
                both.close();
            }
        }
        PollSet poll = sys.pollSet(1);
        poll.set(0, end.acquire(), POLLIN);
        poll.now();
        end.release();
        if ((poll.found(0) & (POLLHUP | POLLIN)) == POLLHUP) {
            end.close();
            throw noOtherEnd(path, "writes");
        }
        return end;
    }

    /** Null where it may only be read: then a writer cannot be looked for, and a child may read the end at once. */
    private static @Nullable Fd bothEnds(Sys sys, Path path) {
        try {
            return sys.files().open(path, O_RDWR | O_NONBLOCK, 0);
        } catch (SyscallException mayNot) {
            if (mayNot.errno() != Errno.EACCES && mayNot.errno() != Errno.EROFS) {
                throw mayNot;
            }
            return null;
        }
    }

    private static SyscallException noOtherEnd(Path path, String verb) {
        return Failure.of(
                "open",
                -Errno.ENXIO,
                "path=" + path + " is a named pipe, and nobody " + verb
                        + " it; open its other end first, or have the child open it (sh -c)");
    }
}
