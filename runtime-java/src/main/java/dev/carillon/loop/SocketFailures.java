package dev.carillon.loop;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;

/** Why a connect failed, in the types that Java has for it; the system call's own failure is the cause. */
// r[impl io.connect]
final class SocketFailures {
    private SocketFailures() {}

    static Throwable connect(int errno, @Nullable SocketAddress address) {
        String to = "to " + address;
        RuntimeException cause = Failure.of("connect", -errno, to);
        return switch (errno) {
            // ENOENT: a path where no socket is; there is nobody to accept, as with a port.
            case Errno.ECONNREFUSED, Errno.ENOENT, Errno.ECONNRESET ->
                caused(new ConnectException("connection refused " + to + ": nobody listens there"), cause);
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ENETDOWN, Errno.EHOSTDOWN ->
                caused(new NoRouteToHostException("no route " + to), cause);
            case Errno.ETIMEDOUT -> caused(new SocketTimeoutException("no answer to the connection " + to), cause);
            default -> cause;
        };
    }

    static SocketTimeoutException connectTimeout(@Nullable SocketAddress address) {
        return new SocketTimeoutException("the connection to " + address + " was not made before its deadline");
    }

    private static IOException caused(IOException failure, Throwable cause) {
        failure.initCause(cause);
        return failure;
    }
}
