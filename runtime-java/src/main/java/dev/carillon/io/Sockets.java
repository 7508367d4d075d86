package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.MSG_PEEK;

import dev.carillon.SyscallException;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.io.backend.SocketFailures;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;
import java.net.SocketAddress;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the kinds of sockets share: how they are made, and their addresses. */
final class Sockets {
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
