package dev.carillon.shm.doorbell;

import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_DOMAIN;
import static dev.carillon.sys.layout.Constants.SO_TYPE;
import static dev.carillon.sys.layout.Constants.S_IFMT;
import static dev.carillon.sys.layout.Constants.S_IFSOCK;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;

/** The socket of one end. <b>Threading:</b> rings from any thread, reads from one. */
final class BellEnd {
    /** What one read takes. */
    static final int ROOM = Scratch.SIZE;

    private static final byte STROKE = 1;

    private final Sys sys;
    private final SocketCalls sockets;
    private final Fd fd;
    private final int number;

    private BellEnd(Sys sys, Fd fd) {
        this.sys = sys;
        this.fd = fd;
        sockets = sys.sockets();
        number = fd.enter();
        fd.leave();
    }

    // r[impl shm.doorbell.socketpair] r[impl shm.doorbell.no-leak-into-siblings]
    static BellEnd[] pair() {
        Sys sys = Sys.get();
        Fd[] ends = sys.sockets().pair(SOCK_STREAM);
        return new BellEnd[] {new BellEnd(sys, ends[0]), new BellEnd(sys, ends[1])};
    }

    // r[impl shm.doorbell.socketpair]
    static BellEnd adopt(int number) {
        Sys sys = Sys.get();
        ensureBell(sys, number);
        sys.descriptors().setCloseOnExec(number, true);
        sys.descriptors().setNonBlocking(number, true);
        return new BellEnd(sys, Fd.owning(sys.libc(), number));
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
        return number;
    }

    int enter() {
        return fd.enter();
    }

    void leave() {
        fd.leave();
    }

    boolean isOpen() {
        return fd.isOpen();
    }

    void close() {
        fd.close();
    }

    // r[impl shm.doorbell.signal]
    RingResult ring() {
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        scratch.bytes.put(0, STROKE);
        int open = fd.enter();
        try {
            long result = sockets.send(open, scratch.address, Byte.BYTES);
            if (result == Byte.BYTES || result == -Errno.EAGAIN) {
                return RingResult.RUNG;
            }
            if (result == -Errno.EPIPE || result == -Errno.ECONNRESET) {
                return RingResult.PEER_GONE;
            }
            throw Failure.of("sendto", result);
        } finally {
            fd.leave();
        }
    }

    /** Reads what is there; inside enter and leave. */
    Draining drain(Draining draining) {
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        draining.begin();
        long result;
        do {
            result = sockets.receive(number, scratch.address, ROOM, 0);
            if (result < 0 && result != -Errno.EAGAIN && result != -Errno.ECONNRESET) {
                throw Failure.of("recvfrom", result);
            }
        } while (draining.took(result));
        return draining;
    }

    @Override
    public String toString() {
        return "Doorbell[" + number + (isOpen() ? "]" : ", closed]");
    }
}
