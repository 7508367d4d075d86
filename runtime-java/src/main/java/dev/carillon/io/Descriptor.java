package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.S_IFMT;
import static dev.carillon.sys.layout.Constants.S_IFREG;
import static dev.carillon.sys.layout.Constants.S_IFSOCK;

import dev.carillon.SyscallException;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Any descriptor: a pipe, a terminal, standard input, or one that another library has opened.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> {@link #adopt} takes the descriptor over; {@link #awaitReadable} and {@link #awaitWritable} borrow
 * one for the time of the wait.
 */
// r[impl io.poll]
public final class Descriptor extends StreamHandle {
    private final boolean wasNonBlocking;

    private Descriptor(EventLoop loop, Fd fd, Target.Kind kind, boolean wasNonBlocking) {
        super(loop, fd, kind);
        this.wasNonBlocking = wasNonBlocking;
    }

    /**
     * Takes a descriptor over: from now on only this handle closes it. This sets the descriptor not to block. A close
     * restores that flag first, since other processes may share the descriptor (a terminal with its shell).
     *
     * <p>One of those may clear the flag meanwhile. That does no harm to sockets and pipes (pipes from Linux 6.4 on). Before
     * each read of anything else, such as a named pipe or a terminal, the loop asks whether the read would wait. While the
     * flag is gone it writes no more than 4 KiB in one call. If another process takes the bytes in between, or stops a
     * terminal, the loop waits for it.
     *
     * @throws dev.carillon.SyscallException EBADF if it is not open
     * @throws IllegalStateException if a handle has adopted it already
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed; the descriptor stays its
     *     owner's then
     */
    public static Descriptor adopt(EventLoop loop, int fd) {
        Sys sys = Sys.get();
        LoopAccess.of(loop).ensureAccepting();
        Target.Kind kind = kind(sys, fd);
        boolean wasNonBlocking = sys.descriptors().isNonBlocking(fd);
        AdoptedNumbers.take(fd, "a Descriptor");
        boolean isAdopted = false;
        try {
            // The flag comes last: where anything fails before, the descriptor stays its owner's, unchanged.
            Descriptor adopted = new Descriptor(loop, Fd.owning(sys.libc(), fd), kind, wasNonBlocking);
            sys.descriptors().setNonBlocking(fd, true);
            isAdopted = true;
            return adopted;
        } finally {
            if (!isAdopted) {
                AdoptedNumbers.forget(fd);
            }
        }
    }

    /** The close of a socket may wait until the other side has taken what was sent, or close descriptors that came with bytes. */
    @Override
    boolean mayBlockInClose() {
        return target().kind == Target.Kind.ADOPTED_SOCKET
                && (Sockets.lingers(number()) || Sockets.unread(number()) >= 0);
    }

    private static Target.Kind kind(Sys sys, int fd) {
        try {
            return switch (sys.files().status(fd).mode() & S_IFMT) {
                case S_IFSOCK -> Target.Kind.ADOPTED_SOCKET;
                case S_IFREG -> Target.Kind.ADOPTED_FILE;
                default -> Target.Kind.ADOPTED;
            };
        } catch (SyscallException failure) {
            throw Failure.about(failure, "fd=" + fd, "is it open in this process?");
        }
    }

    /**
     * Waits until a descriptor that stays its owner's is readable, at its end, or failed. The loop changes no flag of it,
     * and does not watch it any longer when the result is there. Plain files are always ready.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @param fd a descriptor that stays open until the result is there, or the future is cancelled
     */
    public static CompletableFuture<@Nullable Void> awaitReadable(EventLoop loop, int fd) {
        Borrowed borrowed = new Borrowed(loop, fd);
        return borrowed.nothing(operation -> borrowed.start(Request.Kind.AWAIT_READABLE, operation));
    }

    /** Waits as {@link #awaitReadable(EventLoop, int)}, without a future. */
    public static void awaitReadable(EventLoop loop, int fd, Operation operation) {
        new Borrowed(loop, fd).start(Request.Kind.AWAIT_READABLE, operation);
    }

    /** Waits until a descriptor that stays its owner's is writable or failed; else as {@link #awaitReadable}. */
    public static CompletableFuture<@Nullable Void> awaitWritable(EventLoop loop, int fd) {
        Borrowed borrowed = new Borrowed(loop, fd);
        return borrowed.nothing(operation -> borrowed.start(Request.Kind.AWAIT_WRITABLE, operation));
    }

    /** Waits as {@link #awaitWritable(EventLoop, int)}, without a future. */
    public static void awaitWritable(EventLoop loop, int fd, Operation operation) {
        new Borrowed(loop, fd).start(Request.Kind.AWAIT_WRITABLE, operation);
    }

    @Override
    void beforeClose() {
        try {
            if (!wasNonBlocking) {
                Sys.get().descriptors().setNonBlocking(number(), false);
            }
        } finally {
            AdoptedNumbers.forget(number());
        }
    }

    /** A number that stays the caller's. The handle lives for one operation. */
    private static final class Borrowed extends Handle {
        Borrowed(EventLoop loop, int fd) {
            super(loop, null, fd, Target.Kind.BORROWED);
            if (fd < 0) {
                throw new IllegalArgumentException("fd=" + fd + ": a descriptor is not negative");
            }
        }

        void start(Request.Kind kind, Operation operation) {
            submit(claim(operation, kind));
        }
    }
}
