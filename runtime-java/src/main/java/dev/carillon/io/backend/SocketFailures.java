package dev.carillon.io.backend;

import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_SNDBUF;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import org.jspecify.annotations.Nullable;

/** The failures of socket operations: why, where, and what to do. Connects fail with the types that Java has for them. */
// r[impl io.connect]
public final class SocketFailures {
    /** In unix_dgram_sendmsg. */
    private static final int KEPT_BY_KERNEL = 32;

    private static final String OTHER_KIND =
            "this socket cannot reach such an address: it is of another kind (IPv4, IPv6, Unix), or its port is 0";

    private SocketFailures() {}

    /** Why a socket for datagrams could not be connected: no other side has a say in that. */
    public static SyscallException connectDatagrams(int errno, SocketAddress address) {
        return Failure.about(Failure.of("connect", -errno), "to " + address, connectAdvice(errno));
    }

    public static Throwable connect(int errno, @Nullable SocketAddress address) {
        String to = "to " + address;
        RuntimeException cause = Failure.about(Failure.of("connect", -errno), to, connectAdvice(errno));
        return switch (errno) {
            // ENOENT: a path where no socket is; no socket accepts there, as with a port.
            case Errno.ECONNREFUSED, Errno.ENOENT, Errno.ECONNRESET ->
                caused(new ConnectException("connection refused " + to + ": " + refusal(errno, address)), cause);
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ENETDOWN, Errno.EHOSTDOWN ->
                caused(
                        new NoRouteToHostException(
                                "no route " + to + ": this machine has no way there; look at its routes (ip route)"),
                        cause);
            case Errno.ETIMEDOUT ->
                caused(
                        new SocketTimeoutException("no answer to the connection " + to
                                + ": the host is down, or a firewall drops the packets"),
                        cause);
            default -> cause;
        };
    }

    private static @Nullable String connectAdvice(int errno) {
        return switch (errno) {
            case Errno.EACCES -> "this user may not write to that socket, or not enter a directory above it";
            case Errno.EADDRNOTAVAIL -> "no local port is left for that address, or no host has the address";
            case Errno.ENOTDIR -> "a part of that path is no directory";
            case Errno.EPROTOTYPE -> "a socket of another type listens there: it may be one for datagrams";
            case Errno.EAFNOSUPPORT, Errno.EINVAL -> OTHER_KIND;
            default -> null;
        };
    }

    private static String refusal(int errno, @Nullable SocketAddress address) {
        if (errno == Errno.ENOENT) {
            return "nobody listens there, as there is no such path; start the server first, or correct the path";
        }
        return address instanceof UnixDomainSocketAddress
                ? "nobody listens there; either its server has ended and left the path, or that file is no socket"
                : "nobody listens there; start the server first, or correct the address";
    }

    /** An operation was not done in its time. */
    public static SocketTimeoutException timeout(Request request) {
        if (request.kind == Request.Kind.CONNECT) {
            return new SocketTimeoutException(
                    "the connection to " + request.address + " was not made before its deadline: its"
                            + " server accepts too slowly or not at all, or packets are dropped on the way; allow more time, or"
                            + " look at that side");
        }
        SocketTimeoutException late = new SocketTimeoutException(
                request.target() + ": " + request.kind + " was not done in its time; " + whatIsMissing(request.kind));
        late.bytesTransferred = (int) Math.min(Integer.MAX_VALUE, request.result());
        return late;
    }

    private static String whatIsMissing(Request.Kind kind) {
        return switch (kind) {
            case READ, RECEIVE, RECEIVE_DESCRIPTORS -> "the other side has sent nothing more meanwhile";
            case WRITE, SEND, SEND_DESCRIPTORS, SHUTDOWN -> "the other side takes nothing more, or takes it too slowly";
            case ACCEPT -> "nobody has connected meanwhile";
            case AWAIT_READABLE, AWAIT_WRITABLE, AWAIT_PRIORITY -> "no such event came meanwhile";
            case CONNECT, OPEN -> "allow more time";
        };
    }

    /** Why a socket did not get an address of its own. */
    public static SyscallException bind(SyscallException failure, SocketAddress address) {
        String advice = switch (failure.errno()) {
            case Errno.EADDRINUSE ->
                address instanceof UnixDomainSocketAddress
                        ? "that path exists; if no server runs there any more, delete the file"
                        : "another socket has it; end that one, or choose another port (0 lets the kernel choose)";
            case Errno.EACCES ->
                address instanceof UnixDomainSocketAddress
                        ? "this user may not create files in that directory"
                        : "ports below 1024 need CAP_NET_BIND_SERVICE; choose a higher one";
            case Errno.EADDRNOTAVAIL -> "no interface of this machine has that address";
            case Errno.ENOENT -> "the directory does not exist; create it before";
            case Errno.ENOTDIR -> "a part of that path is no directory";
            default -> null;
        };
        return Failure.about(failure, "address=" + address, advice);
    }

    /** A failure that a call threw. A call that moves bytes knows no more than a number. */
    public static SyscallException located(SyscallException failure, Request.Kind kind, Target target) {
        return switch (kind) {
            case READ, WRITE, SEND, RECEIVE, ACCEPT -> transfer(failure.call(), failure.errno(), target);
            case SEND_DESCRIPTORS -> passing(failure, target);
            case CONNECT, RECEIVE_DESCRIPTORS, AWAIT_READABLE, AWAIT_WRITABLE, AWAIT_PRIORITY, SHUTDOWN, OPEN ->
                failure;
        };
    }

    private static SyscallException passing(SyscallException failure, Target target) {
        return switch (failure.errno()) {
            case Errno.EBADF ->
                Failure.about(failure, target.toString(), "one of the descriptors is not open in this process");
            default -> transfer(failure.call(), failure.errno(), target);
        };
    }

    /** The failure of a transfer: on which handle, and what that means. */
    public static SyscallException transfer(String call, int errno, Target target) {
        return Failure.about(
                Failure.of(call, -errno),
                target.toString(),
                switch (errno) {
                    case Errno.EPIPE -> "the other side reads no more; close this one";
                    case Errno.ECONNRESET ->
                        "the other side has broken the connection off, and what was under way is lost";
                    case Errno.ECONNREFUSED -> "no socket receives there; the datagram before this one was lost";
                    case Errno.EBADF -> "it was not opened for that: say so when it is opened (READ, WRITE)";
                    case Errno.EMSGSIZE -> tooLong(target);
                    case Errno.EAFNOSUPPORT, Errno.EINVAL -> call.startsWith("send") ? OTHER_KIND : null;
                    case Errno.ENOTCONN, Errno.EDESTADDRREQ ->
                        "it is not connected; connect it, or say where to send to";
                    default -> null;
                });
    }

    private static String tooLong(Target target) {
        return target.kind == Target.Kind.UNIX_DATAGRAM
                ? "too long for one datagram; its send buffer takes one of " + longestUnix(target)
                        + " bytes at most; send it in parts, or raise net.core.wmem_default"
                : "too long for one datagram; over UDP 65,507 bytes go at most (65,527 over IPv6)";
    }

    /** The largest datagram that the kernel takes from a Unix socket: its send buffer less what it keeps of each. */
    private static int longestUnix(Target target) {
        return Sys.get().sockets().option(target.number, SOL_SOCKET, SO_SNDBUF) - KEPT_BY_KERNEL;
    }

    private static IOException caused(IOException failure, Throwable cause) {
        failure.initCause(cause);
        return failure;
    }
}
