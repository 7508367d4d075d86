package dev.carillon.io;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.TimerHandle;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of load of a soak.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SoakLoad {
    private static final int MAX_BYTES = 20_000;
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final AtomicLong NAMES = new AtomicLong();

    private enum Kind {
        ECHO,
        POST,
        TIMER,
        CANCEL,
        CLOSE,
        ABANDONED_ACCEPT,
        LOOP
    }

    private final EventLoopGroup group;
    private final List<ServerSocket> servers;
    private final EventLoopOptions options;
    private final SoakCount count = new SoakCount();
    private final Map<Kind, Long> steps = new ConcurrentHashMap<>();

    SoakLoad(EventLoopGroup group, List<ServerSocket> servers, EventLoopOptions options) {
        this.group = group;
        this.servers = servers;
        this.options = options;
    }

    SoakCount count() {
        return count;
    }

    /** Whether each kind had its turn. */
    boolean isComplete() {
        return steps.size() == Kind.values().length;
    }

    @Override
    public String toString() {
        return steps + ", " + count;
    }

    /** One step, of a random kind, on a random loop; waits while too much is under way. */
    void one(SplittableRandom random) {
        SoakCount.Step step = count.begin();
        int dice = random.nextInt(1_000);
        // Loops are dear: one step in two hundred.
        Kind kind = dice < 5 ? Kind.LOOP : Kind.values()[dice % (Kind.values().length - 1)];
        steps.merge(kind, 1L, Long::sum);
        EventLoop loop = group.get(random.nextInt(group.size()));
        try {
            switch (kind) {
                case ECHO -> echo(step, loop, random);
                case POST -> post(step, loop);
                case TIMER -> timer(step, loop, random);
                case CANCEL -> cancel(step, loop, random);
                case CLOSE -> close(step, loop, random);
                case ABANDONED_ACCEPT -> abandonedAccept(step, loop, random);
                case LOOP -> closeLoop(step, random);
            }
        } finally {
            step.leave();
        }
    }

    private static void post(SoakCount.Step step, EventLoop loop) {
        SoakCount.Promise told = step.promise();
        loop.execute(told::keep);
    }

    private static void timer(SoakCount.Step step, EventLoop loop, SplittableRandom random) {
        SoakCount.Promise told = step.promise();
        long due = loop.nanoTime() + random.nextInt(3_000_000);
        TimerHandle timer = loop.scheduleAt(due, () -> {
            if (loop.nanoTime() < due) {
                step.defect("a timer was early");
            }
            told.keep();
        });
        if (random.nextBoolean() && timer.cancel()) {
            told.keep();
        }
    }

    /** Connects, sends, reads back, and looks whether the bytes are the same. */
    private void echo(SoakCount.Step step, EventLoop loop, SplittableRandom random) {
        SocketAddress address = servers.get(random.nextInt(servers.size())).localAddress();
        byte[] content = PeerCase.randomBytes(random, MAX_BYTES);
        ByteBuffer in =
                random.nextBoolean() ? ByteBuffer.allocate(content.length) : ByteBuffer.allocateDirect(content.length);
        Operation write = step.operation(done -> step.expect(done, done.failure() == null));
        Operation connect = step.operation(done -> {
            step.expect(done, done.failure() == null);
            if (done.failure() == null) {
                StreamSocket socket = Handle.made(done, StreamSocket.class);
                socket.writeAll(ByteBuffer.wrap(content), write);
                readBack(step, socket, content, in);
            }
        });
        StreamSocket socket = StreamSocket.connect(loop, address, LONG, connect);
        step.atEnd(socket::close);
    }

    private static void readBack(SoakCount.Step step, StreamSocket socket, byte[] content, ByteBuffer in) {
        SoakCount.Repeated read = step.repeated((done, again) -> {
            if (done.failure() == null && done.result() > 0 && in.hasRemaining()) {
                socket.readSome(in, again.start());
            } else if (!in.flip().equals(ByteBuffer.wrap(content))) {
                step.defect("other bytes came back than went: " + in + ", failure=" + done.failure());
            }
        });
        socket.readSome(in, read.start());
    }

    /** A read that is cancelled while bytes come. */
    private static void cancel(SoakCount.Step step, EventLoop loop, SplittableRandom random) {
        List<StreamSocket> pair = StreamSocket.pair(loop);
        step.atEnd(() -> pair.forEach(StreamSocket::close));
        ByteBuffer in = random.nextBoolean() ? ByteBuffer.allocate(8) : ByteBuffer.allocateDirect(8);
        Operation read = step.operation(done -> step.expect(
                done,
                done.failure() == null
                        ? in.position() == done.result()
                        : done.failure() instanceof CancellationException && in.position() == 0));
        pair.get(1).readSome(in, read);
        pair.get(0).writeSome(ByteBuffer.allocate(5), step.operation(done -> step.expect(done, done.result() == 5)));
        for (int i = random.nextInt(2_000); i > 0; i--) {
            Thread.onSpinWait();
        }
        read.cancel();
    }

    /** Handles that are closed while all kinds of operations wait on them, by whichever thread. */
    private static void close(SoakCount.Step step, EventLoop loop, SplittableRandom random) {
        List<StreamSocket> pair = StreamSocket.pair(loop);
        step.atEnd(() -> pair.forEach(StreamSocket::close));
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            Operation operation = step.operation(done -> step.expect(done, isEnd(done.failure())));
            StreamSocket socket = pair.get(random.nextInt(2));
            switch (random.nextInt(4)) {
                case 0 -> socket.writeAll(ByteBuffer.allocate(300_000), operation);
                case 1 -> socket.pollReadable(operation);
                case 2 -> socket.pollWritable(operation);
                default -> socket.readSome(ByteBuffer.allocate(100), operation);
            }
        }
        boolean both = random.nextBoolean();
        Runnable closing = () -> {
            pair.get(0).close();
            if (both) {
                pair.get(1).close();
            }
        };
        if (random.nextBoolean()) {
            closing.run();
        } else {
            SoakCount.Promise told = step.promise();
            loop.execute(() -> {
                closing.run();
                told.keep();
            });
        }
    }

    private static boolean isEnd(@Nullable Throwable failure) {
        return failure == null
                || failure instanceof ClosedException
                || (failure instanceof SyscallException broken
                        && List.of("EPIPE", "ECONNRESET").contains(broken.errnoName()));
    }

    /** A connection comes while its accept is cancelled: it goes to the next accept. */
    private static void abandonedAccept(SoakCount.Step step, EventLoop loop, SplittableRandom random) {
        SocketAddress address = AbstractSocketAddress.of(
                "carillon-soak-" + ProcessHandle.current().pid() + "-" + NAMES.incrementAndGet());
        ServerSocket server = ServerSocket.bind(loop, address);
        step.atEnd(server::close);
        var first = server.acceptAsync();
        StreamSocket client = StreamSocket.connect(
                loop, address, LONG, step.operation(done -> step.expect(done, done.failure() == null)));
        step.atEnd(client::close);
        for (int i = random.nextInt(2_000); i > 0; i--) {
            Thread.onSpinWait();
        }
        SoakCount.Promise told = step.promise();
        var accepted = first.cancel(false) ? server.acceptAsync() : first;
        var unused = accepted.whenComplete((socket, failure) -> {
            if (failure != null) {
                step.defect("no connection for the second accept: " + failure);
            } else {
                socket.close();
            }
            told.keep();
        });
    }

    /** A loop of its own that is closed while operations, timers and tasks wait. */
    private void closeLoop(SoakCount.Step step, SplittableRandom random) {
        EventLoop loop = EventLoop.open(options).start();
        List<StreamSocket> sockets = new ArrayList<>();
        List<TimerHandle> timers = new ArrayList<>();
        for (int i = 1 + random.nextInt(20); i > 0; i--) {
            List<StreamSocket> pair = StreamSocket.pair(loop);
            sockets.addAll(pair);
            pair.get(0)
                    .readSome(
                            ByteBuffer.allocate(1),
                            step.operation(done -> step.expect(done, done.failure() instanceof ClosedException)));
            timers.add(loop.schedule(Duration.ofHours(1), () -> step.defect("a timer of an hour has fired")));
            SoakCount.Promise told = step.promise();
            loop.execute(told::keep);
        }
        loop.close();
        sockets.forEach(StreamSocket::close);
        if (!timers.stream().allMatch(TimerHandle::isCancelled)) {
            step.defect("a timer outlived its loop");
        }
    }
}
