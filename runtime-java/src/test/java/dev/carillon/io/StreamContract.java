package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading, writing and connecting of stream sockets. */
abstract class StreamContract extends LoopCase {
    private static final int MEGABYTE = 1 << 20;

    private void echoes(SocketAddress at) {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, at));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        StreamSocket peer = closeLater(get(accepted));
        ByteBuffer there = ByteBuffer.allocate(16);
        CompletableFuture<Integer> read = peer.readSomeAsync(there);
        assertEquals(5, get(client.writeSomeAsync(bytes("hello"))));
        assertEquals(5, get(read));
        assertEquals("hello", text(there));
        assertEquals(5L, get(peer.writeAllAsync(direct("world"))));
        ByteBuffer back = ByteBuffer.allocateDirect(16);
        assertEquals(5, get(client.readSomeAsync(back)));
        assertEquals("world", text(back));
        assertEquals(server.localAddress(), client.remoteAddress());
        client.shutdownOutput();
        assertEquals(-1, get(peer.readSomeAsync(ByteBuffer.allocate(1))));
    }

    @Test
    void tcpOverVersionFourEchoes() throws Exception {
        echoes(localFour());
    }

    @Test
    void tcpOverVersionSixEchoes() throws Exception {
        echoes(localSix());
    }

    @Test
    void unixSocketsEcho(@TempDir Path folder) {
        echoes(UnixDomainSocketAddress.of(folder.resolve("socket")));
    }

    @Test
    void abstractUnixSocketsEcho() {
        echoes(AbstractSocketAddress.of(
                "carillon-test-" + ProcessHandle.current().pid()));
    }

    // r[verify io.try-first]
    @Test
    void aCompletionNeverRunsInsideTheStartingCall() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        get(pair.get(0).writeSomeAsync(bytes("x")));
        List<String> order = on(loop, () -> {
            List<String> seen = new ArrayList<>();
            pair.get(1).readSome(ByteBuffer.allocate(1), Operation.of(done -> seen.add("completed")));
            seen.add("started");
            return seen;
        });
        // The next task may still be of the same batch, and completions come after it.
        Deadline.after(LIMIT).await("it is completed", () -> on(loop, order::size) == 2);
        assertEquals(List.of("started", "completed"), on(loop, () -> List.copyOf(order)));
    }

    // r[verify io.try-first]
    @Test
    void whatIsStartedBeforeTheFirstPollIsTriedAtOnceToo() {
        EventLoop loop = open();
        StreamSocket socket = pair(loop).get(0);
        ByteBuffer bytes = bytes("x");
        CompletableFuture<Integer> taken = new CompletableFuture<>();
        loop.execute(() -> {
            var unused = socket.writeSomeAsync(bytes);
            taken.complete(bytes.position());
        });
        loop.start();
        assertEquals(1, get(taken));
    }

    // r[verify io.try-first]
    @Test
    void sixteenOperationsOfAHandleCompleteWithoutQueueingInOneIteration() {
        EventLoop loop = open();
        List<StreamSocket> pair = pair(loop);
        loop.runUntilEmpty();
        List<Integer> completed = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int number = i;
            pair.get(0).writeSome(bytes("x"), Operation.of(done -> completed.add(number)));
        }
        assertEquals(24, loop.stats().pendingOperations(), "the others wait");
        loop.runUntilEmpty();
        assertEquals(40, completed.size());
        for (int i = 0; i < 40; i++) {
            assertEquals(i, completed.get(i));
        }
    }

    // r[verify io.try-first]
    @Test
    void aReadThatStartsTheNextOneDoesNotRecurse() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        int total = 20_000;
        CompletableFuture<Integer> done = new CompletableFuture<>();
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        int[] count = new int[1];
        Operation read = Operation.of(operation -> {
            if (++count[0] == total) {
                done.complete(new Throwable().getStackTrace().length);
            } else {
                pair.get(1).readSome(one.clear(), operation);
            }
        });
        pair.get(1).readSome(one, read);
        get(pair.get(0).writeAllAsync(ByteBuffer.allocate(total)));
        assertTrue(get(done) < 60);
    }

    // r[verify io.edge-triggered]
    @Test
    void queuedReadsAreServedInTheirOrder() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        List<CompletableFuture<Integer>> reads = new ArrayList<>();
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            buffers.add(ByteBuffer.allocate(1));
            reads.add(pair.get(1).readSomeAsync(buffers.get(i)));
        }
        get(pair.get(0).writeAllAsync(bytes("0123456789")));
        for (int i = 0; i < 10; i++) {
            assertEquals(1, get(reads.get(i)));
            assertEquals(String.valueOf(i), text(buffers.get(i)));
        }
    }

    // r[verify io.partial]
    @Test
    void writeSomeIsShortWhenTheOtherSideIsFullAndWriteAllGoesOn() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer large = ByteBuffer.allocateDirect(8 * MEGABYTE);
        int taken = get(pair.get(0).writeSomeAsync(large));
        assertTrue(taken > 0 && taken < 8 * MEGABYTE, () -> "taken=" + taken);
        assertEquals(taken, large.position());
        CompletableFuture<Long> rest = pair.get(0).writeAllAsync(large);
        long read = 0;
        ByteBuffer sink = ByteBuffer.allocateDirect(MEGABYTE);
        while (read < 8 * MEGABYTE) {
            read += get(pair.get(1).readSomeAsync(sink.clear()));
        }
        assertEquals(8L * MEGABYTE - taken, get(rest));
        assertFalse(large.hasRemaining());
    }

    // r[verify io.partial] r[verify io.buffers]
    @Test
    void gatherAndScatterKeepTheBytesInOrder(@Seeded SplittableRandom random) {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        for (int round = 0; round < 50; round++) {
            byte[] content = new byte[1 + random.nextInt(200_000)];
            random.nextBytes(content);
            ByteBuffer[] out = slices(content.length, random);
            int at = 0;
            for (ByteBuffer buffer : out) {
                at += buffer.remaining();
                buffer.duplicate().put(content, at - buffer.remaining(), buffer.remaining());
            }
            CompletableFuture<Long> written = pair.get(0).writeAllAsync(out);
            ByteBuffer[] in = slices(content.length, random);
            int read = 0;
            while (read < content.length) {
                read += get(pair.get(1).readSomeAsync(in));
            }
            assertEquals(content.length, get(written));
            ByteBuffer whole = ByteBuffer.allocate(content.length);
            for (ByteBuffer buffer : in) {
                whole.put(buffer.flip());
            }
            assertTrue(Arrays.equals(content, whole.array()));
        }
    }

    /** Heap and direct buffers, some empty, that have so many bytes together. */
    private static ByteBuffer[] slices(int total, SplittableRandom random) {
        List<ByteBuffer> slices = new ArrayList<>();
        int left = total;
        while (left > 0) {
            int size = Math.min(left, random.nextInt(30_000));
            slices.add(random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size));
            left -= size;
        }
        return slices.toArray(ByteBuffer[]::new);
    }

    // r[verify io.buffers]
    @Test
    void buffersAreUsedFromTheirPositionToTheirLimit() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        for (boolean isDirect : new boolean[] {true, false}) {
            ByteBuffer out = isDirect ? direct("xxabcxx") : bytes("xxabcxx");
            out.position(2).limit(5);
            assertEquals(3, get(pair.get(0).writeSomeAsync(out)));
            assertEquals(5, out.position());
            ByteBuffer in = isDirect ? ByteBuffer.allocateDirect(10) : ByteBuffer.allocate(10);
            in.position(4).limit(6);
            assertEquals(2, get(pair.get(1).readSomeAsync(in)));
            assertEquals(6, in.position());
            in.clear();
            assertEquals('a', in.get(4));
            assertEquals('b', in.get(5));
            assertEquals(0, in.get(6));
            assertEquals(1, get(pair.get(1).readSomeAsync(in)));
        }
    }

    // r[verify io.buffers]
    @Test
    void buffersOfNoUseAreRefusedAtTheCall() {
        EventLoop loop = started();
        StreamSocket socket = pair(loop).get(0);
        ByteBuffer readOnly = ByteBuffer.allocate(4).asReadOnlyBuffer();
        ByteBuffer empty = ByteBuffer.allocate(0);
        assertMessage(assertThrows(IllegalArgumentException.class, () -> socket.readSomeAsync(readOnly)), "read-only");
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> socket.readSomeAsync(empty)), "nothing remaining");
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> socket.writeSomeAsync(empty)), "nothing remaining");
        assertThrows(IllegalArgumentException.class, () -> socket.writeAllAsync(empty, empty));
        assertThrows(IllegalArgumentException.class, () -> socket.readSomeAsync(ByteBuffer.allocate(1), readOnly));
        assertEquals(4, get(socket.writeSomeAsync(readOnly)));
    }

    // r[verify io.partial]
    @Test
    void writingToAClosedSideFailsWithoutASignal() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        get(pair.get(1).closeAsync());
        SyscallException failure = (SyscallException) failureOf(pair.get(0).writeSomeAsync(bytes("x")));
        assertEquals("EPIPE", failure.errnoName());
        SyscallException gathered = (SyscallException) failureOf(pair.get(0).writeSomeAsync(bytes("x"), bytes("y")));
        assertEquals("EPIPE", gathered.errnoName());
    }

    @Test
    void aResetFailsTheWriteThatWaits() throws Exception {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        StreamSocket peer = get(server.acceptAsync());
        CompletableFuture<Long> written = client.writeAllAsync(ByteBuffer.allocateDirect(64 * MEGABYTE));
        get(peer.readSomeAsync(ByteBuffer.allocate(1)));
        get(peer.closeAsync());
        SyscallException failure = (SyscallException) failureOf(written);
        assertTrue(List.of("ECONNRESET", "EPIPE").contains(failure.errnoName()), failure::toString);
    }

    @Test
    void anOperationThatIsPendingCannotBeStartedAgain() {
        EventLoop loop = started();
        StreamSocket socket = pair(loop).get(0);
        Operation read = Operation.of(done -> {});
        socket.readSome(ByteBuffer.allocate(1), read);
        assertTrue(read.isPending());
        assertMessage(
                assertThrows(IllegalStateException.class, () -> socket.readSome(ByteBuffer.allocate(1), read)),
                "pending");
    }

    // r[verify loop.binding]
    @Test
    void joiningAnOperationWhereItWouldHangIsRefused() {
        EventLoop loop = started();
        CompletableFuture<Integer> read = pair(loop).get(0).readSomeAsync(ByteBuffer.allocate(1));
        assertMessage(on(loop, () -> assertThrows(IllegalStateException.class, read::join)), "its own thread");
        CompletableFuture<Integer> derived = read.thenApply(n -> n + 1);
        assertMessage(on(loop, () -> assertThrows(IllegalStateException.class, derived::join)), "its own thread");
        EventLoop idle = open();
        CompletableFuture<Integer> never = pair(idle).get(0).readSomeAsync(ByteBuffer.allocate(1));
        assertMessage(assertThrows(IllegalStateException.class, never::join), "nobody runs");
    }

    // r[verify io.shutdown]
    @Test
    void shuttingOutputDownComesBehindTheWritesThatWait() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        int size = 8 * MEGABYTE;
        CompletableFuture<Long> written = pair.get(0).writeAllAsync(ByteBuffer.allocateDirect(size));
        CompletableFuture<Long> second = pair.get(0).writeAllAsync(bytes("the end"));
        pair.get(0).shutdownOutput();
        CompletableFuture<?> shut = pair.get(0).shutdownOutputAsync();
        CompletableFuture<Integer> late = pair.get(0).writeSomeAsync(bytes("too late"));
        assertFalse(on(loop, shut::isDone));
        long read = 0;
        int count;
        ByteBuffer sink = ByteBuffer.allocateDirect(MEGABYTE);
        while ((count = get(pair.get(1).readSomeAsync(sink.clear()))) > 0) {
            read += count;
        }
        assertEquals(size + 7L, read);
        assertEquals(size, get(written));
        assertEquals(7L, get(second));
        get(shut);
        assertEquals("EPIPE", ((SyscallException) failureOf(late)).errnoName());
        // The other direction goes on.
        get(pair.get(1).writeAllAsync(bytes("heard")));
        assertEquals(5, get(pair.get(0).readSomeAsync(ByteBuffer.allocate(8))));
        get(pair.get(0).closeAsync());
        assertThrows(ClosedException.class, pair.get(0)::shutdownOutput);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify io.shutdown]
    @Test
    void theOutputOfALoopThatHasEndedIsShutDownAtOnce() throws Exception {
        EventLoop gone = started();
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(gone, server.localAddress())));
        StreamSocket peer = closeLater(get(accepted));
        gone.close();
        client.shutdownOutput();
        assertEquals(-1, get(peer.readSomeAsync(ByteBuffer.allocate(1))));
    }
}
