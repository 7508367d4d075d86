package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.S_IFMT;
import static dev.carillon.sys.layout.Constants.S_IFREG;
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

    /** Never waits, whatever its flags say. */
    private final boolean isFile;

    /** The kernel was asked not to wait in spite of its flags, and cannot for what this is; on the loop thread. */
    boolean lacksNoWait;

    private Descriptor(PollingLoop loop, Fd fd, int type, boolean wasNonBlocking) {
        super(loop, fd, type == S_IFSOCK);
        this.isFile = type == S_IFREG;
        this.wasNonBlocking = wasNonBlocking;
    }

    boolean isFile() {
        return isFile;
    }

    /**
     * Takes a descriptor over: nobody else closes it from now on. It is set not to block; closing restores that flag
     * before, as the descriptor may be shared with other processes (a terminal with its shell).
     *
     * <p>One of those may clear the flag meanwhile. Sockets and pipes do not care (pipes from Linux 6.4 on). Of what else
     * there is, such as named pipes and terminals, the loop asks before each read whether it would wait, and then writes
     * no more than 4 KiB in one call; if another process takes what was there in between, or stops a terminal, the loop
     * waits for it.
     *
     * @throws dev.carillon.SyscallException EBADF if it is not open
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed; it stays its owner's then
     */
    public static Descriptor adopt(EventLoop loop, int fd) {
        Sys sys = Sys.get();
        PollingLoop on = PollingLoop.accepting(loop);
        int type = type(sys, fd);
        // The flag comes last: where anything fails before, the descriptor is its owner's as it was.
        Descriptor adopted = new Descriptor(
                on, Fd.owning(sys.libc(), fd), type, sys.descriptors().isNonBlocking(fd));
        sys.descriptors().setNonBlocking(fd, true);
        return adopted;
    }

    private static int type(Sys sys, int fd) {
        try {
            return sys.files().status(fd).mode() & S_IFMT;
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
