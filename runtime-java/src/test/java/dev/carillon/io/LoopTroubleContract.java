package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.loop.RunMode;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callbacks, other sides and closings that come at the worst moment: the loop goes on, and each is told once. */
abstract class LoopTroubleContract extends LoopCase {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);

    @TempDir
    private Path folder;

    // r[verify loop.errors]
    @Test
    void aCompletionThatThrowsIsReportedAndItsHandleGoesOn() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        pair.get(1).readSome(ByteBuffer.allocate(1), Operation.of(done -> {
            throw new IllegalStateException("planted");
        }));
        CompletableFuture<Integer> next = pair.get(1).readSomeAsync(ByteBuffer.allocate(1));
        get(pair.get(0).writeAllAsync(LoopCase.bytes("ab")));
        assertEquals(1, get(next));
        Deadline.after(LIMIT).await("it is reported", () -> errors.size() == 1);
        assertMessage(errors.peek(), "planted");
        // What a stage of a future throws is that stage's result, and nobody else's.
        CompletableFuture<Integer> failing = pair.get(1)
                .readSomeAsync(ByteBuffer.allocate(1))
                .thenApply(count -> {
                    throw new IllegalStateException("planted in a stage");
                });
        get(pair.get(0).writeAllAsync(LoopCase.bytes("c")));
        assertMessage(failureOf(failing), "planted in a stage");
        assertEquals(1, errors.size());
    }

    // r[verify loop.errors]
    @Test
    void aWatchThatThrowsIsCalledAgain() {
        EventLoop loop = started();
        Fd[] ends = Sys.get().descriptors().pipe(true);
        Descriptor output = closeLater(Descriptor.adopt(loop, ends[1].acquire()));
        AtomicInteger calls = new AtomicInteger();
        Watch watch = loop.watch(ends[0].acquire(), () -> {
            calls.incrementAndGet();
            throw new IllegalStateException("planted");
        });
        for (int i = 1; i <= 3; i++) {
            int expected = i;
            get(output.writeAllAsync(LoopCase.bytes("x")));
            Deadline.after(LIMIT).await("it is called", () -> calls.get() == expected && errors.size() == expected);
        }
        on(loop, () -> {
            watch.close();
            return true;
        });
        ends[0].release();
        ends[0].close();
    }

    /** Java's own sockets are the other side, as they can be told to send a reset. */
    @Test
    void aResetFailsWhatWaitsAndSaysWhatHappened() throws Exception {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        ByteBuffer large = ByteBuffer.allocateDirect(1 << 26);
        for (int round = 0; round < 20; round++) {
            CompletableFuture<StreamSocket> accepted = server.acceptAsync();
            Socket peer = closeLater(new Socket(address.getAddress(), address.getPort()));
            StreamSocket socket = closeLater(get(accepted));
            CompletableFuture<Long> written = socket.writeAllAsync(large.duplicate());
            OutputStream out = peer.getOutputStream();
            out.write(1);
            assertEquals(1, get(socket.readSomeAsync(ByteBuffer.allocate(1))));
            CompletableFuture<Integer> read = socket.readSomeAsync(ByteBuffer.allocate(1));
            peer.setSoLinger(true, 0);
            peer.close();
            assertReset(failureOf(written));
            Object outcome = get(read.handle((count, failure) -> failure == null ? count : failure));
            assertTrue(outcome.equals(-1) || isReset(outcome), outcome::toString);
            assertReset(failureOf(socket.writeSomeAsync(ByteBuffer.allocate(1))));
        }
        assertTrue(errors.isEmpty(), errors::toString);
    }

    /** The first to ask is told of the reset; to whom comes later, the connection is simply at its end. */
    private static void assertReset(Throwable failure) {
        assertTrue(isReset(failure), failure::toString);
        assertMessage(failure, "StreamSocket[");
        assertMessage(failure, "the other side");
    }

    private static boolean isReset(Object outcome) {
        return outcome instanceof SyscallException failure
                && List.of("ECONNRESET", "EPIPE").contains(failure.errnoName());
    }

    @Test
    void durationsWithoutEndNeitherOverflowNorEnd() throws Exception {
        EventLoop loop = open(options().blockedAfter(LONGEST).slowIteration(LONGEST));
        loop.start();
        assertFalse(loop.awaitTermination(Duration.ofSeconds(Long.MIN_VALUE)));
        assertFalse(loop.awaitTermination(Duration.ofSeconds(-1)));
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                ended.complete(loop.awaitTermination(LONGEST));
            } catch (InterruptedException e) {
                ended.completeExceptionally(e);
            }
        });
        waiting.start();
        assertEquals("alive", on(loop, () -> "alive"));
        Deadline.after(LIMIT).await("it waits", () -> waiting.getState() == Thread.State.TIMED_WAITING);
        loop.requestStop();
        assertTrue(get(ended));
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify io.close]
    @Test
    void aHandleMayBeClosedByItsOwnCompletionsAndALoopByAnyOfThem() {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        AtomicInteger told = new AtomicInteger();
        server.accept(Operation.of(done -> {
            told.incrementAndGet();
            server.close();
            Handle.made(done, StreamSocket.class).close();
        }));
        CompletableFuture<StreamSocket> second = server.acceptAsync();
        closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        assertTrue(failureOf(second) instanceof ClosedException);
        assertEquals(1, told.get());
        List<StreamSocket> pair = pair(loop);
        CompletableFuture<Integer> other = pair.get(0).readSomeAsync(ByteBuffer.allocate(1));
        pair.get(1).readSome(ByteBuffer.allocate(1), Operation.of(done -> {
            told.incrementAndGet();
            loop.close();
            assertFalse(loop.isTerminated());
        }));
        pair.get(0).writeSome(LoopCase.bytes("x"), Operation.of(done -> {}));
        assertTrue(failureOf(other) instanceof ClosedException);
        Deadline.after(LIMIT).await("the loop has ended", loop::isTerminated);
        assertEquals(2, told.get());
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify loop.stop]
    @Test
    void aLoopClosedWithAThousandOperationsOfAllKindsTellsEachOnce() throws Exception {
        EventLoop loop = started();
        List<AtomicInteger> told = new ArrayList<>();
        List<AutoCloseable> handles = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        ServerSocket full = ServerSocket.bind(loop, UnixDomainSocketAddress.of(folder.resolve("full")), 0);
        handles.add(full);
        handles.add(get(StreamSocket.connect(loop, full.localAddress())));
        ByteBuffer large = ByteBuffer.allocateDirect(1 << 22);
        for (int i = 0; i < 125; i++) {
            List<StreamSocket> pair = StreamSocket.pair(loop);
            ServerSocket server = ServerSocket.bind(loop, localFour());
            DatagramSocket datagrams = DatagramSocket.bind(loop, localFour());
            handles.addAll(pair);
            handles.add(server);
            handles.add(datagrams);
            pair.get(0).readSome(ByteBuffer.allocate(1), counted(told, failures));
            pair.get(0).pollReadable(counted(told, failures));
            pair.get(0).writeAll(large.duplicate(), counted(told, failures));
            pair.get(0).pollWritable(counted(told, failures));
            server.accept(counted(told, failures));
            datagrams.receive(ByteBuffer.allocate(1), counted(told, failures));
            handles.add(StreamSocket.connect(loop, full.localAddress(), LONGEST, counted(told, failures)));
            Descriptor.awaitReadable(loop, server.number(), counted(told, failures));
        }
        on(loop, () -> true);
        loop.close();
        assertEquals(1_000, told.size());
        assertTrue(told.stream().allMatch(count -> count.get() == 1), () -> "told " + told);
        assertTrue(failures.stream().allMatch(failure -> failure instanceof ClosedException), failures::toString);
        assertEquals(1_000, failures.size());
        for (AutoCloseable handle : handles) {
            handle.close();
        }
    }

    private static Operation counted(List<AtomicInteger> told, List<Throwable> failures) {
        AtomicInteger count = new AtomicInteger();
        told.add(count);
        return Operation.of(done -> {
            count.incrementAndGet();
            if (done.failure() != null) {
                failures.add(done.failure());
            }
        });
    }

    @Test
    void drainedWaitsForOperations() {
        EventLoop loop = open();
        List<StreamSocket> pair = pair(loop);
        loop.runUntilEmpty();
        ByteBuffer buffer = ByteBuffer.allocate(1);
        AtomicInteger told = new AtomicInteger();
        pair.get(1).readSome(buffer, Operation.of(done -> told.incrementAndGet()));
        loop.schedule(
                Duration.ofMillis(10),
                () -> pair.get(0).writeSome(LoopCase.bytes("x"), Operation.of(done -> told.incrementAndGet())));
        loop.requestStop();
        loop.run(RunMode.DRAINED);
        assertEquals(2, told.get());
        assertEquals(1, buffer.position());
    }
}
