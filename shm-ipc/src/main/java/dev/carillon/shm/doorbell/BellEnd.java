package dev.carillon.shm.doorbell;

import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.MSG_DONTWAIT;
import static dev.carillon.sys.layout.Constants.MSG_NOSIGNAL;
import static dev.carillon.sys.layout.Constants.MSG_PEEK;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_DOMAIN;
import static dev.carillon.sys.layout.Constants.SO_TYPE;
import static dev.carillon.sys.layout.Constants.S_IFMT;
import static dev.carillon.sys.layout.Constants.S_IFSOCK;

import dev.carillon.ClosedException;
import dev.carillon.HeldDescriptor;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.FdHold;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;
import org.jspecify.annotations.Nullable;

/** The socket of one end. <b>Threading:</b> rings from any thread, reads from one. */
final class BellEnd {
    /** What one read takes. */
    static final int CAPACITY = Scratch.SIZE;

    private static final byte STROKE = 1;

    private final Sys sys;
    private final SocketCalls sockets;
    private final Fd fd;
    private final int number;

    /** Null if the kernel lets no process pass descriptors to this end, and never has. */
    private final @Nullable BellInput input;

    /** The reader's: the peer rings no more, but holds its end. */
    private boolean silent;

    private BellEnd(Sys sys, Fd fd, @Nullable BellInput input) {
        this.sys = sys;
        this.fd = fd;
        this.input = input;
        sockets = sys.sockets();
        number = fd.acquire();
        fd.release();
    }

    // r[impl shm.doorbell.socketpair] r[impl shm.doorbell.no-leak-into-siblings] r[impl shm.doorbell.strangers]
    static BellEnd[] pair() {
        Sys sys = Sys.get();
        Fd[] ends = sys.sockets().pair(SOCK_STREAM);
        try {
            return new BellEnd[] {ofPair(sys, ends[0]), ofPair(sys, ends[1])};
        } catch (RuntimeException | Error failure) {
            try {
                ends[0].close();
            } finally {
                ends[1].close();
            }
            throw failure;
        }
    }

    private static BellEnd ofPair(Sys sys, Fd fd) {
        boolean refuses = sys.sockets().refuseDescriptors(fd.acquire());
        fd.release();
        return new BellEnd(sys, fd, refuses ? null : new BellInput(sys));
    }

    /** Its earlier owner may have passed something already, and may have it still. */
    // r[impl shm.doorbell.socketpair] r[impl shm.doorbell.strangers]
    static BellEnd adopt(int number) {
        Sys sys = Sys.get();
        ensureBell(sys, number);
        BellInput input = new BellInput(sys);
        sys.descriptors().setCloseOnExec(number, true);
        sys.descriptors().setNonBlocking(number, true);
        sys.sockets().refuseDescriptors(number);
        return new BellEnd(sys, Fd.owning(sys.libc(), number), input);
    }

    private static void ensureBell(Sys sys, int number) {
        if (number < 0) {
            throw new IllegalArgumentException("fd=" + number + ": a descriptor is not negative");
        }
        String problem;
        try {
            problem = problemOf(sys, number);
        } catch (SyscallException failure) {
            throw new IllegalArgumentException("fd=" + number + ": is no doorbell, " + failure.getMessage(), failure);
        }
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException("fd=" + number + ": is no doorbell, " + problem
                    + "; adopt the number that the spawn gave it in this process");
        }
    }

    private static String problemOf(Sys sys, int number) {
        if ((sys.files().status(number).mode() & S_IFMT) != S_IFSOCK) {
            return "but something that is no socket";
        }
        if (sys.sockets().option(number, SOL_SOCKET, SO_DOMAIN) != AF_UNIX
                || sys.sockets().option(number, SOL_SOCKET, SO_TYPE) != SOCK_STREAM) {
            return "but a socket of another kind than a Unix stream";
        }
        try (NativeBytes address = NativeBytes.allocate(sys.libc(), SockaddrLayout.STORAGE_SIZE)) {
            int length = sys.sockets().remoteAddress(number, address.address(), SockaddrLayout.STORAGE_SIZE);
            return length == -Errno.ENOTCONN ? "but a socket that is not connected" : "";
        }
    }

    int number() {
        if (!fd.isOpen()) {
            throw new ClosedException(this + ": its descriptor is somebody else's now, or nobody's");
        }
        return number;
    }

    int acquire() {
        // Also for the release that has to follow.
        StackRoom.ensure();
        return fd.acquire();
    }

    void release() {
        fd.release();
    }

    HeldDescriptor hold() {
        return FdHold.of(fd);
    }

    boolean isOpen() {
        return fd.isOpen();
    }

    /** Also in the background: with descriptors that were never read, the close of a socket closes them. */
    void close() {
        if (input == null || !hasUnread()) {
            fd.close();
        } else {
            fd.closeInBackground();
        }
    }

    private boolean hasUnread() {
        if (!fd.isOpen()) {
            return false;
        }
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        try {
            int open = fd.acquire();
            try {
                return sockets.receive(open, scratch.address, Byte.BYTES, MSG_PEEK | MSG_DONTWAIT) > 0;
            } finally {
                fd.release();
            }
        } catch (ClosedException byAnother) {
            return false;
        }
    }

    /** MSG_DONTWAIT, since another process that has this end can make it block. */
    // r[impl shm.doorbell.signal]
    RingResult ring() {
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        scratch.bytes.put(0, STROKE);
        StackRoom.ensure();
        int open = fd.acquire();
        try {
            long result;
            do {
                result = sys.libc().sendto(open, scratch.address, Byte.BYTES, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
            } while (result == -Errno.EINTR);
            if (result == Byte.BYTES || result == -Errno.EAGAIN) {
                return RingResult.RUNG;
            }
            if (result == -Errno.EPIPE || result == -Errno.ECONNRESET) {
                return RingResult.PEER_GONE;
            }
            throw Failure.of("sendto", result);
        } finally {
            fd.release();
        }
    }

    /** Reads what is there; between acquire and release. */
    DrainProgress drain(DrainProgress draining) {
        draining.begin();
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        long result;
        do {
            result = input == null
                    ? sockets.receive(number, scratch.address, CAPACITY, MSG_DONTWAIT)
                    : input.receive(number, scratch.address, CAPACITY);
            if (result < 0 && result != -Errno.EAGAIN && result != -Errno.ECONNRESET) {
                throw Failure.of("recvfrom", result);
            }
            if (result == 0 && !isHungUp()) {
                silent = true;
                result = -Errno.EAGAIN;
            }
        } while (draining.took(result));
        return draining;
    }

    /** The end of the stream may also be a shutdown by a peer that lives; a hang-up means that both directions are shut. */
    // r[impl shm.doorbell.death]
    private boolean isHungUp() {
        PollSet set = sys.pollSet(1);
        set.set(0, number, 0);
        return set.now() != 0;
    }

    /** Whether the peer rings no more but holds its end. Then the end is always readable, and only a hang-up is news. */
    boolean isSilent() {
        return silent;
    }

    @Override
    public String toString() {
        return "Doorbell[" + number + (isOpen() ? "]" : ", closed]");
    }
}
