package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_REUSEADDR;

import dev.carillon.io.backend.Argument;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.sys.Fd;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Listens for connections: TCP over IPv4 or IPv6, or a Unix socket.
 *
 * <p>When the process has no descriptors left, or the kernel no memory, accepting pauses for 1 ms to 1 s, and goes on by
 * itself, unless {@link #onShortage} makes room. The loop reports that to the error handler, every ten seconds at most. It skips connections that failed before
 * they were accepted.
 *
 * <p>It never blocks. Where a process that shares it, such as a child that inherited it, clears O_NONBLOCK, the next accept
 * here sets the flag again, and the error handler gets that once. So such a process waits in poll(2), and not in accept(2).
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the binder closes it. The file of a Unix socket stays when it is closed.
 *
 * <p><b>See:</b> listen(2), accept(2).
 */
public final class ServerSocket extends Handle {
    private static final int BACKLOG = 4096;

    /** The time between two reports of a pause: a client must not be able to fill a log. */
    private static final long QUIET = TimeUnit.SECONDS.toNanos(10);

    private final Fd fd;

    /** Connections that were accepted for a waiter that has gone; on the loop thread. */
    private final Deque<StreamSocket> givenBack = new ArrayDeque<>();

    private final Argument acceptor = new Accepting();
    private final int family;

    /** Gives something up for an accept, or has nothing. */
    private volatile BooleanSupplier reserve = () -> false;

    private final @Nullable Adoption adoption;

    /** Where connections live, if not on this loop. */
    private volatile @Nullable EventLoopGroup workers;

    /** Whether SO_LINGER may have been set, which connections inherit. */
    private volatile boolean mayLinger;

    private ServerSocket(EventLoop loop, Fd fd, int family, @Nullable Adoption adoption) {
        super(loop, fd, 0, Target.Kind.LISTENER);
        this.fd = fd;
        this.family = family;
        this.adoption = adoption;
    }

    /** Listens at an address; port 0 lets the kernel choose one, see {@link #localAddress}. */
    public static ServerSocket bind(EventLoop loop, SocketAddress address) {
        return bind(loop, address, BACKLOG);
    }

    /** Listens at an address, else as {@link #bind(EventLoop, SocketAddress, int, SocketOptions)}. */
    public static ServerSocket bind(EventLoop loop, SocketAddress address, int backlog) {
        return bind(loop, address, backlog, SocketOptions.none());
    }

    /** Listens at an address, else as {@link #bind(EventLoop, SocketAddress, int, SocketOptions)}. */
    public static ServerSocket bind(EventLoop loop, SocketAddress address, SocketOptions options) {
        return bind(loop, address, BACKLOG, options);
    }

    /**
     * Listens at an address.
     *
     * @param backlog how many connections wait for an accept at most
     * @param options are set before the bind. SO_REUSEADDR is on where they do not say otherwise, but for Unix sockets
     * @throws dev.carillon.SyscallException EADDRINUSE if another socket listens there, EACCES if that is not allowed; another
     *     errno if the kernel refuses an option
     * @throws IllegalArgumentException if the address cannot be used, or a listener of that kind lacks an option
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed
     */
    // r[impl io.options]
    public static ServerSocket bind(EventLoop loop, SocketAddress address, int backlog, SocketOptions options) {
        if (backlog < 0) {
            throw new IllegalArgumentException("backlog=" + backlog + ": not negative");
        }
        SocketKind kind = new SocketKind(SocketKind.Use.LISTENER, SocketAddresses.family(address));
        options.ensureFor(kind);
        LoopAccess.of(loop).ensureAccepting();
        SocketCalls sockets = Sys.get().sockets();
        return Sockets.make(address, SOCK_STREAM, (fd, number) -> {
            if (kind.family() != AF_UNIX) {
                sockets.setOption(number, SOL_SOCKET, SO_REUSEADDR, 1);
            }
            options.setOn(number, kind);
            Sockets.bind(number, address);
            sockets.listen(number, backlog);
            ServerSocket server = new ServerSocket(loop, fd, kind.family(), null);
            server.mayLinger = options.has(StandardSocketOptions.SO_LINGER);
            return server;
        });
    }

    /** As {@link #bindEach(EventLoopGroup, SocketAddress, SocketOptions)}, without other options. */
    public static List<ServerSocket> bindEach(EventLoopGroup group, SocketAddress address) {
        return bindEach(group, address, SocketOptions.none());
    }

    /**
     * Listens on each loop of a group at one address (SO_REUSEPORT): the kernel spreads the connections over the listeners, and
     * each loop accepts its own. With port 0 the first listener decides on the port for all. If one cannot be bound, the others
     * are closed.
     *
     * <p>Each listener has a backlog of its own. Connections that wait for a listener that is closed are broken off. Other
     * processes of the same user can bind there with that option, too.
     *
     * <p><b>Ownership:</b> the caller closes each.
     *
     * @return as many as the group has loops, in the order of the loops
     * @throws IllegalArgumentException if the address is that of a Unix socket: only one can have it
     */
    // r[impl io.listen-each]
    public static List<ServerSocket> bindEach(EventLoopGroup group, SocketAddress address, SocketOptions options) {
        SocketOptions shared = options.and(StandardSocketOptions.SO_REUSEPORT, true);
        List<ServerSocket> servers = new ArrayList<>(group.size());
        boolean made = false;
        try {
            SocketAddress where = address;
            for (int i = 0; i < group.size(); i++) {
                servers.add(bind(group.get(i), where, shared));
                where = servers.get(0).localAddress();
            }
            List<ServerSocket> all = List.copyOf(servers);
            made = true;
            return all;
        } finally {
            if (!made) {
                servers.forEach(ServerSocket::close);
            }
        }
    }

    /**
     * Takes a descriptor over that was inherited or received and listens already. It does not block and is not inherited from now
     * on; a close puts the first of these back, as others may share it.
     *
     * <p><b>Ownership:</b> only this handle closes it. If this method throws, the descriptor stays its owner's, unchanged.
     *
     * @throws dev.carillon.SyscallException EBADF if it is not open
     * @throws IllegalArgumentException if it is not a Unix or TCP socket that listens; the message says what it is
     * @throws IllegalStateException if a handle has adopted it already
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or closed
     */
    public static ServerSocket adopt(EventLoop loop, int fd) {
        return Adoption.adopt(loop, fd, Adoption.Shape.LISTENER, (own, family, adoption) -> {
            ServerSocket server = new ServerSocket(loop, own, family, adoption);
            server.mayLinger = true;
            return server;
        });
    }

    /**
     * From now on, connections live on the loops of a group, in turn. The accept itself stays on the loop of the listener: its
     * completion is called there, on another thread than that of the connection's loop. Start the operations of the connection
     * there or anywhere; their completions are called on its own loop.
     *
     * <p>Loops of the group that are stopping are passed over. If all are, an accept fails with a ClosedException, and the
     * connection that came for it is closed. A loop that stops later ends what waits on its connections; close those as usual.
     * A connection that is given back keeps its loop, and goes to the next accept; if its loop stops before that, it is closed.
     * The loop of the listener has the connections only if it is of the group.
     *
     * <p><b>Threading:</b> any thread; the group that was set last counts.
     */
    // r[impl io.hand-over]
    public void handOverTo(EventLoopGroup group) {
        if (!isOpen()) {
            throw closedBecause("it accepts nothing any more, so there is nothing to hand over");
        }
        workers = Objects.requireNonNull(group, "group");
    }

    /** The value of an option, as the kernel has it; see {@link StreamSocket#option(SocketOption)}. Any thread. */
    public <T> T option(SocketOption<T> option) {
        return Sockets.option(fd, kind(), option);
    }

    /**
     * Sets an option, also for connections that were not accepted yet where it is one of those, too; see {@link
     * StreamSocket#option(SocketOption, Object)}. Any thread.
     */
    public <T> void option(SocketOption<T> option, T value) {
        if (option.equals(StandardSocketOptions.SO_LINGER)) {
            mayLinger = true;
        }
        Sockets.option(fd, kind(), option, value);
    }

    private SocketKind kind() {
        return new SocketKind(SocketKind.Use.LISTENER, family);
    }

    /** The next connection, which the caller closes. Any thread. */
    public CompletableFuture<StreamSocket> acceptAsync() {
        return future(this::accept, done -> made(done, StreamSocket.class));
    }

    /** The next connection, without a future: the operation's value is a {@link StreamSocket}. Any thread. */
    public void accept(Operation operation) {
        Request request = claim(operation, Request.Kind.ACCEPT);
        request.argument = acceptor;
        submit(request);
    }

    /**
     * Asks that where there is no descriptor to accept with, before accepting pauses: for a server that keeps a descriptor in reserve,
     * closes it here, and tells the client why it is turned away.
     *
     * @param givesUp is called on the loop thread, and does not block; true if it has closed something, so that the accept is tried
     *     again at once. The last one that was set is asked
     */
    public void onShortage(BooleanSupplier givesUp) {
        reserve = Objects.requireNonNull(givesUp, "givesUp");
    }

    /**
     * Gives back a connection whose receiver has gone. It goes to the next accept, before new connections.
     *
     * <p><b>Threading:</b> any thread.
     */
    public void giveBack(StreamSocket socket) {
        Objects.requireNonNull(socket, "socket");
        StackRoom.ensure();
        boolean taken = loop().command(LoopCommand.of(() -> putBack(socket)));
        if (!taken) {
            socket.close();
        }
    }

    @Override
    void putBack(Object value) {
        StreamSocket socket = (StreamSocket) value;
        if (!isOpen()) {
            socket.close();
            return;
        }
        givenBack.add(socket);
        target().backend.retry(target());
    }

    /**
     * A client may send at once, also descriptors. The close of the listener closes those of connections that were not
     * accepted.
     */
    @Override
    boolean mayBlockInClose() {
        PollSet poll = Sys.get().pollSet(1);
        poll.set(0, number(), POLLIN);
        return family == AF_UNIX && poll.now() != 0;
    }

    @Override
    void beforeClose() {
        givenBack.forEach(StreamSocket::close);
        givenBack.clear();
        if (adoption != null) {
            adoption.end();
        }
    }

    /** Where it listens. Any thread. */
    public SocketAddress localAddress() {
        return Objects.requireNonNull(Sockets.local(fd), "a socket that listens has an address");
    }

    /** The argument of an accept for the backend; on the loop thread. */
    private final class Accepting implements Argument.Acceptor {
        private boolean hasPaused;
        private boolean hasBlocked;
        private long reported;

        @Override
        public @Nullable Object takeBack() {
            StreamSocket socket = givenBack.poll();
            while (socket != null && isStranded(socket)) {
                socket.close();
                socket = givenBack.poll();
            }
            return socket;
        }

        /** The loop to which it was handed over stops. */
        private boolean isStranded(StreamSocket socket) {
            return !socket.eventLoop().equals(eventLoop()) && socket.eventLoop().isStopping();
        }

        @Override
        public Object accepted(Fd connection) {
            EventLoopGroup group = workers;
            return new StreamSocket(group == null ? eventLoop() : group.next(), connection, family, mayLinger);
        }

        @Override
        public boolean makesRoom() {
            return reserve.getAsBoolean();
        }

        @Override
        public boolean beginsToPause(long now) {
            boolean isNews = !hasPaused || now - reported >= QUIET;
            if (isNews) {
                hasPaused = true;
                reported = now;
            }
            return isNews;
        }

        @Override
        public boolean isFirstToBlock() {
            boolean isNews = !hasBlocked;
            hasBlocked = true;
            return isNews;
        }
    }
}
