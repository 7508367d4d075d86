package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.S_IFMT;
import static dev.carillon.sys.layout.Constants.S_IFSOCK;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Any descriptor: a pipe, a terminal, standard input, or what another library has opened.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> {@link #adopt} takes the descriptor over; {@link #awaitReadable} and {@link #awaitWritable} borrow
 * one for the time of the wait.
 */
// r[impl io.poll]
public final class Descriptor extends StreamHandle {
    private final boolean wasNonBlocking;

    private Descriptor(PollingLoop loop, Fd fd, boolean socket, boolean wasNonBlocking) {
        super(loop, fd, socket);
        this.wasNonBlocking = wasNonBlocking;
    }

    /**
     * Takes a descriptor over: nobody else closes it from now on. It is set not to block; closing restores that flag
     * before, as the descriptor may be shared with other processes (a terminal with its shell).
     *
     * @throws dev.carillon.SyscallException EBADF if it is not open
     */
    public static Descriptor adopt(EventLoop loop, int fd) {
        Sys sys = Sys.get();
        PollingLoop on = PollingLoop.of(loop);
        boolean socket = isSocket(sys, fd);
        boolean before = sys.descriptors().setNonBlocking(fd, true);
        return new Descriptor(on, Fd.owning(sys.libc(), fd), socket, before);
    }

    private static boolean isSocket(Sys sys, int fd) {
        try {
            return (sys.files().status(fd).mode() & S_IFMT) == S_IFSOCK;
        } catch (SyscallException failure) {
            throw SocketFailures.about(failure, "fd=" + fd, "is it open in this process?");
        }
    }

    /**
     * Waits until a descriptor of somebody else is readable, at its end, or failed. No flag of it is changed and it is
     * not watched any longer when the result is there; plain files are always ready.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @param fd stays open until the result is there, or the future is cancelled
     */
    public static CompletableFuture<@Nullable Void> awaitReadable(EventLoop loop, int fd) {
        Borrowed borrowed = new Borrowed(PollingLoop.of(loop), fd);
        return borrowed.nothing(operation -> borrowed.start(Operation.Kind.AWAIT_READABLE, operation));
    }

    /** Waits as {@link #awaitReadable(EventLoop, int)}, without a future. */
    public static void awaitReadable(EventLoop loop, int fd, Operation operation) {
        new Borrowed(PollingLoop.of(loop), fd).start(Operation.Kind.AWAIT_READABLE, operation);
    }

    /** Waits until a descriptor of somebody else is writable or failed; else as {@link #awaitReadable}. */
    public static CompletableFuture<@Nullable Void> awaitWritable(EventLoop loop, int fd) {
        Borrowed borrowed = new Borrowed(PollingLoop.of(loop), fd);
        return borrowed.nothing(operation -> borrowed.start(Operation.Kind.AWAIT_WRITABLE, operation));
    }

    /** Waits as {@link #awaitWritable(EventLoop, int)}, without a future. */
    public static void awaitWritable(EventLoop loop, int fd, Operation operation) {
        new Borrowed(PollingLoop.of(loop), fd).start(Operation.Kind.AWAIT_WRITABLE, operation);
    }

    @Override
    void beforeClose() {
        if (!wasNonBlocking) {
            Sys.get().descriptors().setNonBlocking(number(), false);
        }
    }

    /** A number that is the caller's; lives for one operation. */
    private static final class Borrowed extends Handle {
        Borrowed(PollingLoop loop, int fd) {
            super(loop, null, fd, false);
            if (fd < 0) {
                throw new IllegalArgumentException("fd=" + fd + ": a descriptor is not negative");
            }
        }

        void start(Operation.Kind kind, Operation operation) {
            submit(operation.claim(kind, this));
        }
    }
}
