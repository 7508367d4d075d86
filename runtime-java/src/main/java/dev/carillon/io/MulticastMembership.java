package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.IPPROTO_IP;
import static dev.carillon.sys.layout.Constants.IPPROTO_IPV6;
import static dev.carillon.sys.layout.Constants.IPV6_MULTICAST_ALL;
import static dev.carillon.sys.layout.Constants.IP_MULTICAST_ALL;
import static dev.carillon.sys.layout.Constants.MCAST_JOIN_GROUP;
import static dev.carillon.sys.layout.Constants.MCAST_JOIN_SOURCE_GROUP;
import static dev.carillon.sys.layout.Constants.MCAST_LEAVE_GROUP;
import static dev.carillon.sys.layout.Constants.MCAST_LEAVE_SOURCE_GROUP;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.OptionLayout.GroupReq;
import dev.carillon.sys.layout.OptionLayout.GroupSourceReq;
import dev.carillon.sys.layout.SockaddrLayout.In;
import dev.carillon.sys.layout.SockaddrLayout.In6;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A socket's place in a multicast group, see {@link DatagramSocket#join}.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> closing it leaves the group, and the close of the socket does so, too. A descriptor that was detached keeps its
 * groups; closing the membership does nothing then.
 *
 * <p><b>See:</b> ip(7), ipv6(7).
 */
// r[impl io.multicast]
public final class MulticastMembership implements AutoCloseable {
    private final Fd fd;
    private final InetAddress group;
    private final NetworkInterface on;
    private final @Nullable InetAddress source;
    private final AtomicBoolean left = new AtomicBoolean();

    /** The groups that the socket has joined for all senders: there, a join for one of them would shut out the others. */
    private final Set<Place> forAll;

    /** Stands in the set for the first join, after which the socket hears no group of others. */
    private static final Place FIRST = new Place(InetAddress.getLoopbackAddress(), 0);

    /** A group on an interface. */
    record Place(InetAddress group, int on) {}

    private MulticastMembership(
            Fd fd, Set<Place> forAll, InetAddress group, NetworkInterface on, @Nullable InetAddress source) {
        this.fd = fd;
        this.forAll = forAll;
        this.group = group;
        this.on = on;
        this.source = source;
    }

    static MulticastMembership join(
            Fd fd,
            SocketKind kind,
            Set<Place> forAll,
            InetAddress group,
            NetworkInterface on,
            @Nullable InetAddress source) {
        Objects.requireNonNull(on, "on");
        Objects.requireNonNull(group, "group");
        ensureFits("group", group, kind);
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException("group=" + group + ": no group; those are 224.0.0.0/4 and ff00::/8");
        }
        if (source != null) {
            ensureFits("source", source, kind);
            if (source.isMulticastAddress()) {
                throw new IllegalArgumentException("source=" + source + ": a group, and no sender");
            }
        }
        MulticastMembership membership = new MulticastMembership(fd, forAll, group, on, source);
        membership.ensureNotForAll();
        int number = fd.acquire();
        try {
            membership.enter(number);
        } finally {
            fd.release();
        }
        return membership;
    }

    private static void ensureFits(String what, InetAddress address, SocketKind kind) {
        if (kind.family() == AF_UNIX || kind.family() != family(address)) {
            throw new IllegalArgumentException(what + "=" + address + ": not for " + kind
                    + "; a socket joins groups of the family" + " of the address that it is bound to");
        }
    }

    private static int family(InetAddress address) {
        return address instanceof Inet6Address ? AF_INET6 : AF_INET;
    }

    private int level() {
        return family(group) == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
    }

    private Place place() {
        return new Place(group, on.getIndex());
    }

    private void ensureNotForAll() {
        if (source != null && forAll.contains(place())) {
            throw new IllegalStateException(
                    this + ": this socket is in that group for all senders already; close that" + " membership first");
        }
    }

    private void enter(int number) {
        try {
            call(number, source == null ? MCAST_JOIN_GROUP : MCAST_JOIN_SOURCE_GROUP);
        } catch (SyscallException failure) {
            throw Failure.about(failure, toString(), advice(failure.errno()));
        }
        boolean isDone = false;
        try {
            if (forAll.add(FIRST)) {
                hearNoOtherGroup(number);
            }
            if (source == null) {
                forAll.add(place());
            }
            isDone = true;
        } finally {
            if (!isDone) {
                forAll.remove(FIRST);
                call(number, leaving());
            }
        }
    }

    private void hearNoOtherGroup(int number) {
        try {
            int name = family(group) == AF_INET6 ? IPV6_MULTICAST_ALL : IP_MULTICAST_ALL;
            Sys.get().sockets().setOption(number, level(), name, 0);
        } catch (SyscallException failure) {
            // IPv6 has it from Linux 4.20 on.
            if (failure.errno() != Errno.ENOPROTOOPT) {
                throw failure;
            }
        }
    }

    private int leaving() {
        return source == null ? MCAST_LEAVE_GROUP : MCAST_LEAVE_SOURCE_GROUP;
    }

    private void call(int number, int name) {
        Sys sys = Sys.get();
        SocketCalls sockets = sys.sockets();
        try (NativeBytes memory = NativeBytes.allocate(sys.libc(), GroupSourceReq.SIZE)) {
            memory.bytes().putInt(GroupReq.GR_INTERFACE, on.getIndex());
            put(memory, GroupReq.GR_GROUP, group);
            if (source != null) {
                put(memory, GroupSourceReq.GSR_SOURCE, source);
            }
            int length = source == null ? GroupReq.SIZE : GroupSourceReq.SIZE;
            sockets.setOption(number, level(), name, memory.address(), length);
        }
    }

    private static void put(NativeBytes memory, int offset, InetAddress address) {
        if (address instanceof Inet6Address six) {
            In6.put(memory.bytes(), offset, six.getAddress(), 0, six.getScopeId());
        } else {
            In.put(memory.bytes(), offset, address.getAddress(), 0);
        }
    }

    private static @Nullable String advice(int errno) {
        return switch (errno) {
            case Errno.EADDRINUSE, Errno.EADDRNOTAVAIL ->
                "this socket is in that group on that interface already, for the same sender or for all; close that membership first";
            case Errno.EINVAL ->
                "this socket is in that group for all senders, or for single ones; close that membership first";
            case Errno.ENODEV -> "that interface is gone, or does no multicast of that family";
            case Errno.ENOBUFS ->
                "a socket may be in so many groups and no more; raise net.ipv4.igmp_max_memberships, or use another socket";
            default -> null;
        };
    }

    /** The group. */
    public InetAddress group() {
        return group;
    }

    /** Leaves the group; does nothing where the socket was closed, or the interface is gone. A second call does nothing. */
    @Override
    public void close() {
        if (!left.compareAndSet(false, true)) {
            return;
        }
        int number;
        try {
            number = fd.acquire();
        } catch (ClosedException leftWithTheSocket) {
            return;
        }
        try {
            if (source == null) {
                forAll.remove(place());
            }
            call(number, leaving());
        } catch (SyscallException failure) {
            if (failure.errno() != Errno.ENODEV && failure.errno() != Errno.EADDRNOTAVAIL) {
                throw Failure.about(failure, toString(), null);
            }
        } finally {
            fd.release();
        }
    }

    @Override
    public String toString() {
        return "group=" + group.getHostAddress() + " on " + on.getName()
                + (source == null ? "" : " from " + source.getHostAddress());
    }
}
