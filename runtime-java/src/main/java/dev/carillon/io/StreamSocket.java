package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.SHUT_WR;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;

import dev.carillon.PeerCredentials;
import dev.carillon.SyscallException;
import dev.carillon.io.backend.Argument;
import dev.carillon.io.backend.Buffers;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A connected stream of bytes: TCP over IPv4 or IPv6, or a Unix socket.
 *
 * <p><b>Threading:</b> any thread may start operations and close; the loop thread uses the buffers.
 *
 * <p><b>Ownership:</b> the caller that connects or accepts it closes it.
 *
 * <p><b>Order:</b> operations of one direction are served in the order in which they were started.
 *
 * <p><b>See:</b> tcp(7), unix(7).
 */
public final class StreamSocket extends StreamHandle {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Fd fd;
    private final int family;
    private final @Nullable Adoption adoption;

    /** Whether SO_LINGER may have been set: then the close looks, since that one may take as long as it says. */
    private volatile boolean mayLinger;

    StreamSocket(EventLoop loop, Fd fd, int family, boolean mayLinger) {
        this(loop, fd, family, null, mayLinger);
    }

    private StreamSocket(EventLoop loop, Fd fd, int family, @Nullable Adoption adoption, boolean mayLinger) {
        super(loop, fd, family == AF_UNIX ? Target.Kind.UNIX_STREAM : Target.Kind.TCP);
        this.fd = fd;
        this.family = family;
        this.adoption = adoption;
        this.mayLinger = mayLinger;
    }

    /**
     * Takes a descriptor over that was inherited or received and is connected, as {@link ServerSocket#adopt} does. A peer that
     * has left is met by the first read or write.
     *
     * @throws IllegalArgumentException if it is not a Unix or TCP socket with a peer; the message says what it is
     */
    public static StreamSocket adopt(EventLoop loop, int fd) {
        Adoption.Maker<StreamSocket> maker =
                (own, family, adoption) -> new StreamSocket(loop, own, family, adoption, true);
        return Adoption.adopt(loop, fd, Adoption.Shape.STREAM, maker);
    }

    /** Connects within 30 seconds, see {@link #connect(EventLoop, SocketAddress, Duration, SocketOptions)}. */
    public static CompletableFuture<StreamSocket> connect(EventLoop loop, SocketAddress address) {
        return connect(loop, address, PATIENCE);
    }

    /** Connects within 30 seconds, see {@link #connect(EventLoop, SocketAddress, Duration, SocketOptions)}. */
    public static CompletableFuture<StreamSocket> connect(
            EventLoop loop, SocketAddress address, SocketOptions options) {
        return connect(loop, address, PATIENCE, options);
    }

    /** Connects, see {@link #connect(EventLoop, SocketAddress, Duration, SocketOptions)}. */
    public static CompletableFuture<StreamSocket> connect(EventLoop loop, SocketAddress address, Duration atMost) {
        return connect(loop, address, atMost, SocketOptions.none());
    }

    /**
     * Connects.
     *
     * <p>The result fails with a {@link java.net.ConnectException} if no socket listens there, a {@link
     * java.net.NoRouteToHostException} if there is no route, a {@link java.net.SocketTimeoutException} if it takes too long;
     * else with a {@link dev.carillon.SyscallException}.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @param address an InetSocketAddress that is resolved, a UnixDomainSocketAddress or an AbstractSocketAddress
     * @param atMost how long it may take
     * @param options are set before it connects
     * @throws IllegalArgumentException if the address cannot be used, or such a socket lacks an option
     * @throws SyscallException if the kernel refuses an option
     */
    // r[impl io.options]
    public static CompletableFuture<StreamSocket> connect(
            EventLoop loop, SocketAddress address, Duration atMost, SocketOptions options) {
        StreamSocket socket = opened(loop, address, options);
        try {
            CompletableFuture<StreamSocket> future = socket.future(
                    operation -> socket.connect(address, atMost, operation), done -> made(done, StreamSocket.class));
            // This method does not return that stage: cancelling it would not cancel the operation.
            var unused = future.whenComplete((connected, failure) -> {
                // Another thread may have completed it, with another socket or none.
                if (failure != null || !socket.equals(connected)) {
                    socket.close();
                }
            });
            return future;
        } catch (RuntimeException | Error refused) {
            socket.close();
            throw refused;
        }
    }

    /**
     * Looks a host up and connects to the first of its addresses that answers, as RFC 8305 says: addresses of both families take
     * turns, IPv6 first; the next is tried when one has failed, or has not answered for a quarter of a second.
     *
     * <p>The resolver of the JDK is asked, on a thread named {@code carillon-resolver}; the loop does not wait for it. Where the
     * JDK was told to prefer IPv4 ({@code -Djava.net.preferIPv6Addresses=false}), so do connects.
     *
     * <p>The result fails with a {@link java.net.UnknownHostException} if there is no such name; with the failure of the connect if
     * there is one address; with a {@link java.net.ConnectException} that has all failures as suppressed ones if there are
     * several; with a {@link java.net.SocketTimeoutException} if it takes too long.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @param host a name, or an address as text
     * @param atMost how long all of it may take
     */
    public static CompletableFuture<StreamSocket> connect(EventLoop loop, String host, int port, Duration atMost) {
        return AddressRace.to(loop, host, port, atMost);
    }

    /** Connects to the first of several addresses that answers, in their order, as {@link #connect(EventLoop, String, int, Duration)}. */
    public static CompletableFuture<StreamSocket> connect(
            EventLoop loop, List<? extends SocketAddress> addresses, Duration atMost) {
        return AddressRace.among(loop, addresses, atMost);
    }

    /**
     * Connects, without a future: the operation's value is the socket. If it fails or is cancelled, the caller closes
     * the socket that is returned here.
     */
    public static StreamSocket connect(EventLoop loop, SocketAddress address, Duration atMost, Operation operation) {
        return connect(loop, address, atMost, SocketOptions.none(), operation);
    }

    /** Connects, without a future, with options that are set before. */
    public static StreamSocket connect(
            EventLoop loop, SocketAddress address, Duration atMost, SocketOptions options, Operation operation) {
        StreamSocket socket = opened(loop, address, options);
        try {
            socket.connect(address, atMost, operation);
        } catch (RuntimeException | Error failure) {
            socket.close();
            throw failure;
        }
        return socket;
    }

    private static StreamSocket opened(EventLoop loop, SocketAddress address, SocketOptions options) {
        LoopAccess.of(loop).ensureAccepting();
        try (var memory = Sockets.memory()) {
            // Refuses what is too long before there is a socket.
            SocketAddresses.put(address, memory.bytes());
        }
        SocketKind kind = new SocketKind(SocketKind.Use.STREAM, SocketAddresses.family(address));
        options.ensureFor(kind);
        return Sockets.make(address, SOCK_STREAM, (fd, number) -> {
            options.setOn(number, kind);
            return new StreamSocket(loop, fd, kind.family(), options.has(StandardSocketOptions.SO_LINGER));
        });
    }

    private void connect(SocketAddress address, Duration atMost, Operation operation) {
        Request request = claim(operation, Request.Kind.CONNECT);
        request.address = address;
        request.argument = (Argument.Connector) () -> this;
        request.deadline = Math.min(request.deadline, Deadlines.after(loop().nanoTime(), atMost));
        submit(request);
    }

    /**
     * Two Unix sockets that are connected to each other. Any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed
     */
    public static List<StreamSocket> pair(EventLoop loop) {
        LoopAccess.of(loop).ensureAccepting();
        return Sockets.pair(end -> new StreamSocket(loop, end, AF_UNIX, false));
    }

    /**
     * Sends bytes, and descriptors with the first of them; Unix sockets only.
     *
     * @param descriptors numbers that stay open until the result is there, and stay the sender's. A future that is cancelled does not
     *     tell when the loop has done with them: who closes them then starts an {@link Operation}, whose completion tells
     * @return how many bytes were taken; the descriptors went with them
     * @throws IllegalStateException if it is no Unix socket
     */
    public CompletableFuture<Integer> sendDescriptorsAsync(ByteBuffer bytes, int... descriptors) {
        return bytes(operation -> sendDescriptors(bytes, descriptors, operation));
    }

    /** Sends descriptors, without a future. */
    public void sendDescriptors(ByteBuffer bytes, int[] descriptors, Operation operation) {
        Buffers.ensureRemaining(bytes);
        ensureMayPass(descriptors.length);
        Request request = with(claim(operation, Request.Kind.SEND_DESCRIPTORS), bytes);
        int[] numbers = descriptors.clone();
        request.argument = (Argument.DescriptorSender) () -> numbers;
        submit(request);
    }

    /**
     * Receives bytes, and the descriptors that came with them; Unix sockets only.
     *
     * <p>If more descriptors came than are expected, or than the process can take, the result fails and the descriptors are
     * closed.
     *
     * @param most how many descriptors are expected at most, 1 to 253
     */
    public CompletableFuture<ReceivedDescriptors> receiveDescriptorsAsync(ByteBuffer buffer, int most) {
        return future(
                operation -> receiveDescriptors(buffer, most, operation),
                done -> made(done, ReceivedDescriptors.class));
    }

    /** Receives descriptors, without a future: the operation's value is a {@link ReceivedDescriptors}. */
    public void receiveDescriptors(ByteBuffer buffer, int most, Operation operation) {
        Buffers.ensureWritable(buffer);
        ensureMayPass(most);
        Request request = with(claim(operation, Request.Kind.RECEIVE_DESCRIPTORS), buffer);
        request.argument = new ReceivedDescriptors.Expected(most);
        submit(request);
    }

    boolean isUnix() {
        return family == AF_UNIX;
    }

    @Override
    void beforeClose() {
        if (adoption != null) {
            adoption.end();
        }
    }

    /** The close also closes descriptors that were sent and not received, and waits where it lingers (SO_LINGER). */
    @Override
    boolean mayBlockInClose() {
        return isUnix() ? Sockets.unread(number()) > 0 : mayLinger && Sockets.lingers(number());
    }

    /**
     * Moves the connection to another loop. This handle is closed, and the result is a new handle of the same socket; it is told on
     * the thread of that loop. Move when nothing is under way: what waits here fails, as at a {@link #detachAsync}. Bytes
     * that were not read stay in the kernel, so none is lost.
     *
     * <p>If the other loop ends before the connection is there, the connection is closed, and the result fails with a {@link
     * java.util.concurrent.RejectedExecutionException}. A result that is cancelled has no use for it: it is closed, too.
     *
     * <p><b>Threading:</b> any thread, also when the loop of this handle has ended.
     *
     * @throws dev.carillon.ClosedException if it was closed, detached or moved before
     * @throws java.util.concurrent.RejectedExecutionException if the other loop is stopping or closed; this handle stays as it is
     */
    // r[impl io.move]
    public CompletableFuture<StreamSocket> moveToAsync(EventLoop other) {
        LoopAccess.of(other).ensureAccepting();
        Fd same = Fd.owning(Sys.get().libc(), number());
        return moveTo(new Arriving<>(new StreamSocket(other, same, family, adoption, true)));
    }

    private void ensureMayPass(int count) {
        if (!isUnix()) {
            // The kernel would take the bytes and silently drop the descriptors.
            throw new IllegalStateException(this + " is no Unix socket: descriptors travel over those only");
        }
        PassedDescriptor.ensureFits(count);
    }

    /**
     * Sends the end of the output, behind the writes that were started before; reading goes on. It does not wait for that;
     * the result of {@link #shutdownOutputAsync} does.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws dev.carillon.ClosedException if it was closed
     */
    public void shutdownOutput() {
        if (!isOpen()) {
            throw closedBecause("it was used after it was closed");
        }
        Operation operation = Operation.of(done -> {
            if (done.failure() instanceof SyscallException failure) {
                loop().report(failure);
            }
        });
        if (!loop().command(claim(operation, Request.Kind.SHUTDOWN))) {
            // The loop has ended, and with it all writes.
            Sockets.inside(fd, number -> Sys.get().sockets().shutdown(number, SHUT_WR) ? 1 : 0);
        }
    }

    /** Sends the end of the output, as {@link #shutdownOutput}; the result is there when that is done. */
    public CompletableFuture<@Nullable Void> shutdownOutputAsync() {
        return nothing(this::shutdownOutput);
    }

    /** Sends the end of the output, behind the writes that were started before, without a future. */
    public void shutdownOutput(Operation operation) {
        submit(claim(operation, Request.Kind.SHUTDOWN));
    }

    /** Whether small writes are sent at once (TCP only). Any thread. */
    public void noDelay(boolean value) {
        option(StandardSocketOptions.TCP_NODELAY, value);
    }

    /**
     * The value of an option, as the kernel has it. That may differ from the value that was set: the kernel doubles the sizes
     * of buffers, and bounds them (net.core.rmem_max, net.core.wmem_max).
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws IllegalArgumentException if such a socket has no such option
     * @throws IllegalStateException if no interface was set for IP_MULTICAST_IF
     * @throws SyscallException if the kernel refuses
     * @throws dev.carillon.ClosedException if it was closed
     */
    // r[impl io.options]
    public <T> T option(SocketOption<T> option) {
        return Sockets.option(fd, kind(), option);
    }

    /**
     * Sets an option: one of {@link StandardSocketOptions} or {@link LinuxSocketOptions}.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws IllegalArgumentException if such a socket has no such option, or the option no such value
     * @throws SyscallException if the kernel refuses: EPERM without a capability, ENODEV without that interface
     * @throws dev.carillon.ClosedException if it was closed
     */
    public <T> void option(SocketOption<T> option, T value) {
        if (option.equals(StandardSocketOptions.SO_LINGER)) {
            mayLinger = true;
        }
        Sockets.option(fd, kind(), option, value);
    }

    private SocketKind kind() {
        return new SocketKind(SocketKind.Use.STREAM, family);
    }

    /** Its own address; null for a Unix socket without a name. Any thread. */
    public @Nullable SocketAddress localAddress() {
        return Sockets.local(fd);
    }

    /** The other side's address; null for a Unix socket without a name, and when the other side is gone. Any thread. */
    public @Nullable SocketAddress remoteAddress() {
        return Sockets.remote(fd);
    }

    /**
     * Who was at the other end when the socket was connected; Unix sockets only. To the one that accepted it, the kernel names
     * who called connect; to the one that connected, who called listen; to both ends of a {@link #pair}, who made the pair. It
     * does not know who has that end now: an end that was inherited or passed on still names the first one.
     *
     * <p>That process may have ended, and its pid be another's. A {@code ProcessWatch} of the pid means the peer if the
     * connection still stands after the watch was made, and the peer has passed its end to nobody.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws IllegalStateException if it is no Unix socket, or is not connected
     * @throws dev.carillon.ClosedException if it was closed
     */
    // r[impl io.peer-credentials]
    public PeerCredentials peerCredentials() {
        if (!isUnix()) {
            throw new IllegalStateException(
                    this + " is no Unix socket: the kernel knows the process at the other end of those only");
        }
        return Sockets.peer(fd, this);
    }
}
