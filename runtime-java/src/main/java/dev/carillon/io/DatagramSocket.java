package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.SOCK_DGRAM;

import dev.carillon.io.backend.Argument;
import dev.carillon.io.backend.Buffers;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.io.backend.SocketFailures;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives datagrams: UDP over IPv4 or IPv6, or a Unix socket.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the opener closes it.
 *
 * <p><b>See:</b> udp(7), unix(7).
 */
public final class DatagramSocket extends Handle {
    private static final Argument.DatagramReceiver RECEIVER = Datagram::new;

    private final Fd fd;
    private final int family;

    private final @Nullable Adoption adoption;

    private final Set<MulticastMembership.Place> joinedForAll = Collections.synchronizedSet(new HashSet<>(0));

    private DatagramSocket(EventLoop loop, Fd fd, int family, @Nullable Adoption adoption) {
        super(loop, fd, 0, family == AF_UNIX ? Target.Kind.UNIX_DATAGRAM : Target.Kind.UDP);
        this.fd = fd;
        this.family = family;
        this.adoption = adoption;
    }

    private static DatagramSocket make(
            EventLoop loop, SocketAddress address, SocketOptions options, IntConsumer preparation) {
        SocketKind kind = new SocketKind(SocketKind.Use.DATAGRAMS, SocketAddresses.family(address));
        options.ensureFor(kind);
        LoopAccess.of(loop).ensureAccepting();
        return Sockets.make(address, SOCK_DGRAM, (fd, number) -> {
            if (kind.family() == AF_UNIX) {
                Sys.get().sockets().refuseDescriptors(number);
            }
            options.setOn(number, kind);
            preparation.accept(number);
            return new DatagramSocket(loop, fd, kind.family(), null);
        });
    }

    /**
     * A socket with an address; port 0 lets the kernel choose one.
     *
     * @throws dev.carillon.SyscallException EADDRINUSE if the address is taken
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed
     */
    public static DatagramSocket bind(EventLoop loop, SocketAddress address) {
        return bind(loop, address, SocketOptions.none());
    }

    /**
     * A socket with an address, and with options that are set before the bind.
     *
     * @throws dev.carillon.SyscallException EADDRINUSE if the address is taken; another errno if the kernel refuses an option
     * @throws IllegalArgumentException if a socket of that kind lacks an option
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed
     */
    // r[impl io.options]
    public static DatagramSocket bind(EventLoop loop, SocketAddress address, SocketOptions options) {
        return make(loop, address, options, number -> Sockets.bind(number, address));
    }

    /**
     * Takes a descriptor over that was inherited or received, as {@link ServerSocket#adopt} does.
     *
     * @throws IllegalArgumentException if it is not a Unix or UDP socket; the message says what it is
     */
    public static DatagramSocket adopt(EventLoop loop, int fd) {
        return Adoption.adopt(loop, fd, Adoption.Shape.DATAGRAMS, (own, family, adoption) -> {
            if (family == AF_UNIX) {
                Sys.get().sockets().refuseDescriptors(fd);
            }
            return new DatagramSocket(loop, own, family, adoption);
        });
    }

    /** A socket that sends to one address and receives from there only. */
    public static DatagramSocket connect(EventLoop loop, SocketAddress address) {
        return connect(loop, address, SocketOptions.none());
    }

    /** A socket that sends to one address, with options that are set before the connect, see {@link #bind}. */
    public static DatagramSocket connect(EventLoop loop, SocketAddress address, SocketOptions options) {
        return make(loop, address, options, number -> connect(number, address));
    }

    private static void connect(int number, SocketAddress address) {
        try (NativeBytes memory = Sockets.memory()) {
            int length = SocketAddresses.put(address, memory.bytes());
            int result = Sys.get().sockets().connect(number, memory.address(), length);
            if (result < 0) {
                throw SocketFailures.connectDatagrams(-result, address);
            }
        }
    }

    /**
     * Sends what remains in the buffer as one datagram, which may be empty, to the address that the socket is connected to.
     */
    public CompletableFuture<Integer> sendAsync(ByteBuffer buffer) {
        return bytes(operation -> send(buffer, null, operation));
    }

    /**
     * Sends what remains in the buffer as one datagram.
     *
     * <p>While the receiving Unix socket has no room for it, this waits. The kernel does not signal that an address has room
     * again, so the loop tries again after pauses of 1 to 50 ms.
     */
    public CompletableFuture<Integer> sendAsync(ByteBuffer buffer, SocketAddress to) {
        Objects.requireNonNull(to, "to");
        return bytes(operation -> send(buffer, to, operation));
    }

    /** Sends, without a future; null means the address that the socket is connected to. */
    public void send(ByteBuffer buffer, @Nullable SocketAddress to, Operation operation) {
        Request request = StreamHandle.with(claim(operation, Request.Kind.SEND), buffer);
        request.address = to;
        submit(request);
    }

    /** Receives a datagram; what does not fit into the buffer is lost, and the result says so. */
    public CompletableFuture<Datagram> receiveAsync(ByteBuffer buffer) {
        return future(operation -> receive(buffer, operation), done -> made(done, Datagram.class));
    }

    /** Receives, without a future: the operation's value is a {@link Datagram}. */
    public void receive(ByteBuffer buffer, Operation operation) {
        Buffers.ensureWritable(buffer);
        Request request = StreamHandle.with(claim(operation, Request.Kind.RECEIVE), buffer);
        request.argument = RECEIVER;
        submit(request);
    }

    @Override
    void beforeClose() {
        if (adoption != null) {
            adoption.end();
        }
    }

    /** The close also closes descriptors that were sent and not received. */
    @Override
    boolean mayBlockInClose() {
        return family == AF_UNIX && Sockets.unread(number()) >= 0;
    }

    /** The value of an option, as the kernel has it; see {@link StreamSocket#option(SocketOption)}. Any thread. */
    public <T> T option(SocketOption<T> option) {
        return Sockets.option(fd, kind(), option);
    }

    /** Sets an option, see {@link StreamSocket#option(SocketOption, Object)}. Any thread. */
    public <T> void option(SocketOption<T> option, T value) {
        Sockets.option(fd, kind(), option, value);
    }

    private SocketKind kind() {
        return new SocketKind(SocketKind.Use.DATAGRAMS, family);
    }

    /**
     * Joins a group: what others send to it, to the port that this socket is bound to, comes here until the membership is closed.
     * From the first join on, the socket hears no group that only others on this machine have joined (IP_MULTICAST_ALL).
     *
     * <p>Bind to the port of the group and to the address {@code 0.0.0.0} or {@code ::}, or to the group itself. Several sockets
     * of one machine share the port with SO_REUSEADDR. IP_MULTICAST_IF says on which interface this socket sends.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @param group an address of the socket's family, IPv4 or IPv6
     * @throws IllegalArgumentException if it is no such group
     * @throws dev.carillon.SyscallException EADDRINUSE if it was joined before on that interface; ENOBUFS if the socket may join no
     *     more groups
     * @throws dev.carillon.ClosedException if it was closed
     */
    public MulticastMembership join(InetAddress group, NetworkInterface on) {
        return MulticastMembership.join(fd, kind(), joinedForAll, group, on, null);
    }

    /**
     * Joins a group for what one sender sends to it, else as {@link #join(InetAddress, NetworkInterface)}. Join again for another
     * sender.
     *
     * @param source the address of the sender, of the same family
     * @throws IllegalStateException if this socket is in that group for all senders
     */
    public MulticastMembership join(InetAddress group, NetworkInterface on, InetAddress source) {
        return MulticastMembership.join(fd, kind(), joinedForAll, group, on, Objects.requireNonNull(source, "source"));
    }

    /** Its own address; null for a Unix socket without a name. */
    public @Nullable SocketAddress localAddress() {
        return Sockets.local(fd);
    }
}
