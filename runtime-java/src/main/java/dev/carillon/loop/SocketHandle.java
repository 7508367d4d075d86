package dev.carillon.loop;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;
import java.net.SocketAddress;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the kinds of sockets share: their addresses, and how they are made. */
final class SocketHandle {
    private SocketHandle() {}

    /** A socket for addresses of that kind. */
    static Fd open(SocketAddress address, int type) {
        return Sys.get().sockets().open(SocketAddresses.family(address), type);
    }

    /** Makes a call with a descriptor's number, which stays that descriptor's meanwhile. */
    static int inside(Fd fd, IntUnaryOperator call) {
        int number = fd.enter();
        try {
            return call.applyAsInt(number);
        } finally {
            fd.leave();
        }
    }

    /** Prepares a socket, and closes it if that fails. */
    static void prepare(Fd fd, IntConsumer preparation) {
        try {
            inside(fd, number -> {
                preparation.accept(number);
                return 0;
            });
        } catch (RuntimeException failure) {
            fd.close();
            throw failure;
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

    @FunctionalInterface
    private interface Question {
        int ask(int number, long address, int room);
    }
}
