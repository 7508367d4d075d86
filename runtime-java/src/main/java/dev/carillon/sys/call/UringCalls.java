package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;

/**
 * The three calls of io_uring; the rings themselves are mapped memory.
 *
 * <p><b>Threading:</b> any thread, but a ring made with IORING_SETUP_SINGLE_ISSUER has one.
 *
 * <p><b>See:</b> io_uring(7).
 */
public final class UringCalls {
    private final LibC libc;

    UringCalls(LibC libc) {
        this.libc = libc;
    }

    /** Makes a ring from a struct io_uring_params, which the kernel completes. */
    public Fd setup(int entries, long params) {
        return Fd.opened(libc, checked("io_uring_setup", libc.io_uring_setup(entries, params)));
    }

    /** Submits and waits; returns how many were submitted, or -EINTR, -ETIME, -EAGAIN or -EBUSY. */
    public int enter(int fd, int submit, int wait, int flags, long argument, long size) {
        int result = libc.io_uring_enter(descriptor(fd), submit, wait, flags, argument, size);
        return switch (-result) {
            case Errno.EINTR, Errno.ETIME, Errno.EAGAIN, Errno.EBUSY -> result;
            default -> checked("io_uring_enter", result);
        };
    }

    /** Registers something with a ring; returns the kernel's result. */
    public int register(int fd, int opcode, long argument, int count) {
        return checked("io_uring_register", libc.io_uring_register(descriptor(fd), opcode, argument, count));
    }
}
