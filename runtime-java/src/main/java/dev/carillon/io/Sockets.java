package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.MSG_PEEK;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_LINGER;

import dev.carillon.PeerCredentials;
import dev.carillon.SyscallException;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.io.backend.SocketFailures;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the kinds of sockets share: how they are made, and their addresses. */
final class Sockets {
    /** The kernel gives this number to no user. */
    private static final int NOBODY_YET = -1;

    private Sockets() {}

    /** Makes a call with a descriptor's number; the number stays that descriptor's meanwhile. */
    static int inside(Fd fd, IntUnaryOperator call) {
        int number = fd.acquire();
        try {
            return call.applyAsInt(number);
        } finally {
            fd.release();
        }
    }

    /** Opens a socket for addresses of that kind and prepares it. Closes it if that fails, also for want of memory. */
    static <T> T make(SocketAddress address, int type, Preparation<T> preparation) {
        Fd fd = Sys.get().sockets().open(SocketAddresses.family(address), type);
        boolean made = false;
        int number = fd.acquire();
        try {
            T handle = preparation.prepare(fd, number);
            made = true;
            return handle;
        } finally {
            fd.release();
            if (!made) {
                fd.close();
            }
        }
    }

    /** The value of an option, as the kernel has it. */
    static <T> T option(Fd fd, SocketKind kind, SocketOption<T> option) {
        KnownOption<?> known = KnownOptions.of(option);
        int number = fd.acquire();
        try {
            return option.type().cast(known.get(number, kind));
        } finally {
            fd.release();
        }
    }

    static <T> void option(Fd fd, SocketKind kind, SocketOption<T> option, T value) {
        KnownOption<?> known = KnownOptions.of(option);
        int number = fd.acquire();
        try {
            known.set(number, kind, value);
        } finally {
            fd.release();
        }
    }

    /** Whether the close of a TCP socket may wait until the other side has taken what was sent. */
    static boolean lingers(int number) {
        try {
            // The first int of the structure says whether it is on.
            return Sys.get().sockets().option(number, SOL_SOCKET, SO_LINGER) != 0;
        } catch (SyscallException unknown) {
            return true;
        }
    }

    /** Who is at the other end of a Unix socket. */
    static PeerCredentials peer(Fd fd, Handle socket) {
        int number = fd.acquire();
        try {
            PeerCredentials peer = Sys.get().sockets().peerCredentials(number);
            if (peer.uid() == NOBODY_YET) {
                throw new IllegalStateException(
                        socket + " is not connected, so nobody is at the other end; wait for the connect");
            }
            return peer;
        } finally {
            fd.release();
        }
    }

    /** Two Unix sockets that are connected to each other. Closes both if their handles cannot be made. */
    static <T> List<T> pair(Function<Fd, T> maker) {
        Fd[] ends = Sys.get().sockets().pair(SOCK_STREAM);
        boolean made = false;
        try {
            List<T> both = List.of(maker.apply(ends[0]), maker.apply(ends[1]));
            made = true;
            return both;
        } finally {
            if (!made) {
                closeBoth(ends);
            }
        }
    }

    private static void closeBoth(Fd[] ends) {
        try {
            ends[0].close();
        } finally {
            ends[1].close();
        }
    }

    /** How many bytes, one at most, are there to be received; -errno where there are none. */
    static long unread(int number) {
        try (NativeBytes memory = memory()) {
            return Sys.get().sockets().receive(number, memory.address(), 1, MSG_PEEK);
        } catch (SyscallException failure) {
            return -failure.errno();
        }
    }

    static void bind(int number, SocketAddress address) {
        try (NativeBytes memory = memory()) {
            int length = SocketAddresses.put(address, memory.bytes());
            Sys.get().sockets().bind(number, memory.address(), length);
        } catch (SyscallException failure) {
            throw SocketFailures.bind(failure, address);
        }
    }

    static NativeBytes memory() {
        return NativeBytes.allocate(Sys.get().libc(), SockaddrLayout.STORAGE_SIZE);
    }

    /** Where the socket itself is. */
    static @Nullable SocketAddress local(Fd fd) {
        return address(fd, Sys.get().sockets()::localAddress);
    }

    /** Where the other side is, or null if there is none (any more). */
    static @Nullable SocketAddress remote(Fd fd) {
        return address(fd, Sys.get().sockets()::remoteAddress);
    }

    private static @Nullable SocketAddress address(Fd fd, Question question) {
        try (NativeBytes memory = memory()) {
            int length = inside(fd, number -> question.ask(number, memory.address(), SockaddrLayout.STORAGE_SIZE));
            return length == -Errno.ENOTCONN ? null : SocketAddresses.get(memory.bytes(), length);
        }
    }

    /** Prepares a new socket and makes its handle. */
    @FunctionalInterface
    interface Preparation<T> {
        T prepare(Fd fd, int number);
    }

    @FunctionalInterface
    private interface Question {
        int ask(int number, long address, int room);
    }
}
