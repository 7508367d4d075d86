package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.call.Results.notNegative;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.MSG_DONTWAIT;
import static dev.carillon.sys.layout.Constants.MSG_NOSIGNAL;
import static dev.carillon.sys.layout.Constants.SOCK_CLOEXEC;
import static dev.carillon.sys.layout.Constants.SOCK_NONBLOCK;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_ERROR;
import static dev.carillon.sys.layout.Constants.SO_PEERCRED;

import dev.carillon.PeerCredentials;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.layout.MessageLayout.Ucred;

/**
 * Sockets. Every socket is non-blocking, and no child inherits it. Sending and receiving never wait, even if another
 * process that has the socket makes it blocking. Writing to a closed socket raises no SIGPIPE.
 *
 * <p>What the network or the other side brings about is a value: -errno of the list in {@link #isExpected}. Addresses
 * are struct sockaddr at an address, see {@code SockaddrLayout}.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>See:</b> socket(7), unix(7), tcp(7).
 */
// r[impl sys.inherit]
public final class SocketCalls {
    /** The kernel's option, from 6.16 on, newer than most headers. */
    private static final int SO_PASSRIGHTS = 83;

    /** O_NONBLOCK would not be enough: a process that has a copy of a socket can clear it for all, at any time. */
    // r[impl io.shared-flag]
    private static final int SENDING = MSG_NOSIGNAL | MSG_DONTWAIT;

    private final LibC libc;

    SocketCalls(LibC libc) {
        this.libc = libc;
    }

    // r[impl sys.expected]
    /** Whether a failed result is something that sockets meet in normal work. */
    public static boolean isExpected(long result) {
        return switch ((int) -result) {
            case Errno.EAGAIN,
                    Errno.EINPROGRESS,
                    Errno.EPIPE,
                    Errno.ECONNRESET,
                    Errno.ECONNREFUSED,
                    Errno.ECONNABORTED,
                    Errno.ETIMEDOUT,
                    Errno.EHOSTUNREACH,
                    Errno.ENETUNREACH,
                    Errno.ENETDOWN,
                    Errno.EHOSTDOWN,
                    Errno.ENOTCONN,
                    Errno.ENOBUFS -> true;
            default -> false;
        };
    }

    private static long orExpected(String call, long result) {
        return result < 0 && isExpected(result) ? result : checked(call, result);
    }

    /**
     * A socket.
     *
     * @param domain as in AF_INET
     * @param type as in SOCK_STREAM
     */
    public Fd open(int domain, int type) {
        return Fd.opened(libc, checked("socket", libc.socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    }

    /** Two Unix sockets that are connected to each other. */
    public Fd[] pair(int type) {
        int flags = type | SOCK_NONBLOCK | SOCK_CLOEXEC;
        return OpenedPair.of(libc, "socketpair", numbers -> libc.socketpair(AF_UNIX, flags, 0, numbers));
    }

    public void bind(int fd, long address, int length) {
        checked("bind", libc.bind(descriptor(fd), address, length));
    }

    public void listen(int fd, int backlog) {
        checked("listen", libc.listen(descriptor(fd), backlog));
    }

    /** 0, -EINPROGRESS, or why not; an interrupted one goes on by itself, so that is in progress too. */
    public int connect(int fd, long address, int length) {
        int result = libc.connect(descriptor(fd), address, length);
        return result == -Errno.EINTR ? -Errno.EINPROGRESS : (int) orExpected("connect", result);
    }

    /** Whether accept found no descriptor or no memory, which may be there later. */
    public static boolean isShortage(int result) {
        return switch (-result) {
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOBUFS, Errno.ENOMEM -> true;
            default -> false;
        };
    }

    /** Whether an error of accept belongs to one connection, and the next one may be fine: see accept(2). */
    public static boolean isOfTheConnection(int result) {
        return switch (-result) {
            case Errno.ECONNABORTED,
                    Errno.EPROTO,
                    Errno.ENOPROTOOPT,
                    Errno.ENETDOWN,
                    Errno.EHOSTDOWN,
                    Errno.ENONET,
                    Errno.EHOSTUNREACH,
                    Errno.EOPNOTSUPP,
                    Errno.ENETUNREACH,
                    Errno.EPERM,
                    Errno.ETIMEDOUT -> true;
            default -> false;
        };
    }

    /** The number of a new socket (wrap it at once), -EAGAIN, a shortage, or the error of one connection. */
    public int accept(int fd) {
        int result;
        do {
            result = libc.accept4(descriptor(fd), 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
        } while (result == -Errno.EINTR);
        return isShortage(result) || isOfTheConnection(result) ? result : (int) orExpected("accept4", result);
    }

    /** Sends to the connected side. */
    public long send(int fd, long buffer, long length) {
        return sendTo(fd, buffer, length, 0, 0);
    }

    public long sendTo(int fd, long buffer, long length, long address, int addressLength) {
        long result;
        do {
            result =
                    libc.sendto(descriptor(fd), buffer, notNegative("length", length), SENDING, address, addressLength);
        } while (result == -Errno.EINTR);
        return orExpected("sendto", result);
    }

    /** Receives from the connected side; flags as in MSG_PEEK. */
    public long receive(int fd, long buffer, long length, int flags) {
        return receiveFrom(fd, buffer, length, flags, 0, 0);
    }

    /** Receives, and writes who sent it to an address, whose room stands as an int at another. */
    public long receiveFrom(int fd, long buffer, long length, int flags, long address, long lengthInOut) {
        long result;
        do {
            result = libc.recvfrom(
                    descriptor(fd), buffer, notNegative("length", length), flags | MSG_DONTWAIT, address, lengthInOut);
        } while (result == -Errno.EINTR);
        return orExpected("recvfrom", result);
    }

    /** Sends a struct msghdr. */
    public long sendMessage(int fd, long msghdr) {
        long result;
        do {
            result = libc.sendmsg(descriptor(fd), msghdr, SENDING);
        } while (result == -Errno.EINTR);
        return orExpected("sendmsg", result);
    }

    /** Receives into a struct msghdr. */
    public long receiveMessage(int fd, long msghdr, int flags) {
        long result;
        do {
            result = libc.recvmsg(descriptor(fd), msghdr, flags | MSG_DONTWAIT);
        } while (result == -Errno.EINTR);
        return orExpected("recvmsg", result);
    }

    /** SHUT_RD, SHUT_WR or SHUT_RDWR; false if the other side was gone already. */
    public boolean shutdown(int fd, int how) {
        int result = libc.shutdown(descriptor(fd), how);
        return result != -Errno.ENOTCONN && checked("shutdown", result) == 0;
    }

    /** Writes the socket's own address to memory, and returns its length. */
    public int localAddress(int fd, long address, int room) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(0, room);
        checked("getsockname", libc.getsockname(descriptor(fd), address, scratch.address));
        return scratch.bytes.getInt(0);
    }

    /** Writes the other side's address to memory, and returns its length, or -ENOTCONN. */
    public int remoteAddress(int fd, long address, int room) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(0, room);
        long result = orExpected("getpeername", libc.getpeername(descriptor(fd), address, scratch.address));
        return result < 0 ? (int) result : scratch.bytes.getInt(0);
    }

    /** An option that is an int, as most are. */
    public int option(int fd, int level, int name) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(0, 0).putInt(Long.BYTES, Integer.BYTES);
        long length = scratch.address + Long.BYTES;
        checked("getsockopt", libc.getsockopt(descriptor(fd), level, name, scratch.address, length));
        return scratch.bytes.getInt(0);
    }

    public void setOption(int fd, int level, int name, int value) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(0, value);
        checked("setsockopt", libc.setsockopt(descriptor(fd), level, name, scratch.address, Integer.BYTES));
    }

    /** Writes an option that is a structure or a text to memory, and returns its length. */
    public int option(int fd, int level, int name, long address, int room) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(0, room);
        checked("getsockopt", libc.getsockopt(descriptor(fd), level, name, address, scratch.address));
        return scratch.bytes.getInt(0);
    }

    /** Sets an option that is a structure or a text. */
    public void setOption(int fd, int level, int name, long address, int length) {
        checked("setsockopt", libc.setsockopt(descriptor(fd), level, name, address, length));
    }

    /**
     * Has the kernel refuse descriptors that are sent to a Unix socket: then send fails there with EPERM.
     *
     * @return false where the kernel cannot (before 6.16), so that each receive has to reckon with them
     */
    // r[impl sys.passing]
    public boolean refuseDescriptors(int fd) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(0, 0);
        return libc.setsockopt(descriptor(fd), SOL_SOCKET, SO_PASSRIGHTS, scratch.address, Integer.BYTES) == 0;
    }

    /** What became of a connect that was in progress: 0 or -errno. Asking forgets it. */
    public int takeError(int fd) {
        return -option(fd, SOL_SOCKET, SO_ERROR);
    }

    /** Who is at the other end of a Unix socket; the user is -1 if it was never connected. */
    public PeerCredentials peerCredentials(int fd) {
        Scratch scratch = Scratch.ofThisThread(libc);
        int lengthOffset = Ucred.SIZE;
        scratch.bytes.putInt(lengthOffset, Ucred.SIZE);
        long length = scratch.address + lengthOffset;
        checked("getsockopt", libc.getsockopt(descriptor(fd), SOL_SOCKET, SO_PEERCRED, scratch.address, length));
        return new PeerCredentials(
                scratch.bytes.getInt(Ucred.PID), scratch.bytes.getInt(Ucred.UID), scratch.bytes.getInt(Ucred.GID));
    }
}
