package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.IPPROTO_TCP;
import static dev.carillon.sys.layout.Constants.IPPROTO_UDP;
import static dev.carillon.sys.layout.Constants.SOCK_DGRAM;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_ACCEPTCONN;
import static dev.carillon.sys.layout.Constants.SO_DOMAIN;
import static dev.carillon.sys.layout.Constants.SO_PROTOCOL;
import static dev.carillon.sys.layout.Constants.SO_TYPE;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;

/**
 * A socket that was inherited or received, and that a handle has taken over. What it is says the kernel, and not who has handed
 * it over.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl io.adopt]
final class Adoption {
    private final int number;
    private final boolean wasNonBlocking;

    /** What a socket is for. */
    enum Shape {
        LISTENER("a listening stream socket", SOCK_STREAM, IPPROTO_TCP),
        STREAM("a connected stream socket", SOCK_STREAM, IPPROTO_TCP),
        DATAGRAMS("a datagram socket", SOCK_DGRAM, IPPROTO_UDP);

        private final String text;
        private final int type;
        private final int protocol;

        Shape(String text, int type, int protocol) {
            this.text = text;
            this.type = type;
            this.protocol = protocol;
        }
    }

    private Adoption(int number, boolean wasNonBlocking) {
        this.number = number;
        this.wasNonBlocking = wasNonBlocking;
    }

    /**
     * Makes a handle of a descriptor. Where anything fails the descriptor stays its owner's, unchanged.
     *
     * @throws SyscallException EBADF if it is not open
     * @throws IllegalArgumentException if it is another kind of thing
     * @throws IllegalStateException if a handle has adopted that number already
     */
    static <T> T adopt(EventLoop loop, int number, Shape wanted, Maker<T> maker) {
        LoopAccess.of(loop).ensureAccepting();
        Sys sys = Sys.get();
        int family = familyOf(sys, number, wanted);
        Adoption adoption = new Adoption(number, sys.descriptors().isNonBlocking(number));
        AdoptedNumbers.take(number, wanted.text);
        boolean adopted = false;
        try {
            T handle = maker.make(Fd.owning(sys.libc(), number), family, adoption);
            sys.descriptors().setCloseOnExec(number, true);
            // Last: others may share this flag.
            sys.descriptors().setNonBlocking(number, true);
            adopted = true;
            return handle;
        } finally {
            if (!adopted) {
                AdoptedNumbers.forget(number);
            }
        }
    }

    /** Before the descriptor is closed, or given back: others may share it, and find it as it was. */
    void end() {
        try {
            if (!wasNonBlocking) {
                Sys.get().descriptors().setNonBlocking(number, false);
            }
        } finally {
            AdoptedNumbers.forget(number);
        }
    }

    private static int familyOf(Sys sys, int number, Shape wanted) {
        try {
            int family = sys.sockets().option(number, SOL_SOCKET, SO_DOMAIN);
            String problem = problemOf(sys, number, family, wanted);
            if (!problem.isEmpty()) {
                throw new IllegalArgumentException("fd=" + number + " is not " + wanted.text + ", but " + problem);
            }
            return family;
        } catch (SyscallException failure) {
            if (failure.errno() == Errno.ENOTSOCK) {
                throw new IllegalArgumentException(
                        "fd=" + number + " is not " + wanted.text
                                + ", but no socket at all; Descriptor.adopt takes pipes and terminals",
                        failure);
            }
            throw Failure.about(failure, "fd=" + number, "is it open in this process?");
        }
    }

    private static String problemOf(Sys sys, int number, int family, Shape wanted) {
        if (family != AF_UNIX && family != AF_INET && family != AF_INET6) {
            return "one of address family " + family + ": Unix, IPv4 and IPv6 sockets can be adopted";
        }
        int type = sys.sockets().option(number, SOL_SOCKET, SO_TYPE);
        if (type != wanted.type) {
            return type == SOCK_DGRAM
                    ? "a datagram socket; adopt it as a DatagramSocket"
                    : type == SOCK_STREAM
                            ? "a stream socket; adopt it as a ServerSocket or StreamSocket"
                            : "one of type " + type + ", neither of streams nor of datagrams";
        }
        int protocol = sys.sockets().option(number, SOL_SOCKET, SO_PROTOCOL);
        if (family != AF_UNIX && protocol != wanted.protocol) {
            return "one of protocol " + protocol + ", neither TCP nor UDP";
        }
        return wanted == Shape.DATAGRAMS ? "" : problemOfStream(sys, number, wanted);
    }

    private static String problemOfStream(Sys sys, int number, Shape wanted) {
        boolean listens = sys.sockets().option(number, SOL_SOCKET, SO_ACCEPTCONN) != 0;
        if (wanted == Shape.LISTENER) {
            return listens ? "" : "one that does not listen; call listen(2) before it is handed over";
        }
        if (listens) {
            return "one that listens; adopt it as a ServerSocket";
        }
        try (NativeBytes address = Sockets.memory()) {
            int length = sys.sockets().remoteAddress(number, address.address(), SockaddrLayout.STORAGE_SIZE);
            return length == -Errno.ENOTCONN ? "one without a peer: not connected yet, or not any more" : "";
        }
    }

    /** Makes the handle. */
    @FunctionalInterface
    interface Maker<T> {
        T make(Fd fd, int family, Adoption adoption);
    }
}
