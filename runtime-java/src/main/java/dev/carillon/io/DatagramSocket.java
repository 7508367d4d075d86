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
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
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
    private final boolean unix;

    private final @Nullable Adoption adoption;

    private DatagramSocket(EventLoop loop, Fd fd, boolean unix, @Nullable Adoption adoption) {
        super(loop, fd, 0, unix ? Target.Kind.UNIX_DATAGRAM : Target.Kind.UDP);
        this.fd = fd;
        this.unix = unix;
        this.adoption = adoption;
    }

    private static DatagramSocket make(EventLoop loop, SocketAddress address, IntConsumer preparation) {
        LoopAccess.of(loop).ensureAccepting();
        boolean unix = SocketAddresses.family(address) == AF_UNIX;
        return Sockets.make(address, SOCK_DGRAM, (fd, number) -> {
            if (unix) {
                Sys.get().sockets().refuseDescriptors(number);
            }
            preparation.accept(number);
            return new DatagramSocket(loop, fd, unix, null);
        });
    }

    /**
     * A socket with an address; port 0 lets the kernel choose one.
     *
     * @throws dev.carillon.SyscallException EADDRINUSE if the address is taken
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed
     */
    public static DatagramSocket bind(EventLoop loop, SocketAddress address) {
        return make(loop, address, number -> Sockets.bind(number, address));
    }

    /**
     * Takes a descriptor over that was inherited or received, as {@link ServerSocket#adopt} does.
     *
     * @throws IllegalArgumentException if it is not a Unix or UDP socket; the message says what it is
     */
    public static DatagramSocket adopt(EventLoop loop, int fd) {
        return Adoption.adopt(loop, fd, Adoption.Shape.DATAGRAMS, (own, family, adoption) -> {
            boolean unix = family == AF_UNIX;
            if (unix) {
                Sys.get().sockets().refuseDescriptors(fd);
            }
            return new DatagramSocket(loop, own, unix, adoption);
        });
    }

    /** A socket that sends to one address and receives from there only. */
    public static DatagramSocket connect(EventLoop loop, SocketAddress address) {
        return make(loop, address, number -> connect(number, address));
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
        return unix && Sockets.unread(number()) >= 0;
    }

    /** Its own address; null for a Unix socket without a name. */
    public @Nullable SocketAddress localAddress() {
        return Sockets.local(fd);
    }
}
