package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that move from loop to loop. */
// r[verify io.move]
abstract class MoveContract extends LoopCase {
    private static final int MOVES = Boolean.getBoolean("carillon.stress") ? 10_000 : 300;
    private static final int CONNECTIONS = 4;

    /** A client, and the side of the server, which moves. */
    private List<StreamSocket> connected(EventLoop loop, boolean unix) {
        if (unix) {
            return StreamSocket.pair(loop);
        }
        try (ServerSocket server = ServerSocket.bind(loop, localFour())) {
            CompletableFuture<StreamSocket> accepting = server.acceptAsync();
            return List.of(get(StreamSocket.connect(loop, server.localAddress())), get(accepting));
        }
    }

    private static void assertNothingLeft(Map<Integer, String> before) {
        Deadline.after(LIMIT)
                .await(
                        "the descriptors are those from before",
                        () -> Descriptors.openedSince(before).isEmpty());
    }

    /** One that is used by a peer, which sends all the time and counts what comes back. */
    private static final class Used {
        private final StreamSocket peer;
        private final CompletableFuture<Long> sent;
        private final CompletableFuture<Long> back;
        private final ByteBuffer buffer = ByteBuffer.allocate(256);
        private StreamSocket socket;
        private long next;

        Used(List<StreamSocket> both, int size) {
            peer = both.get(0);
            socket = both.get(1);
            ByteBuffer all = ByteBuffer.allocateDirect(size);
            for (int i = 0; i < size; i++) {
                all.put(i, (byte) i);
            }
            sent = peer.writeAllAsync(all);
            back = count(0);
        }

        private CompletableFuture<Long> count(long sofar) {
            ByteBuffer came = ByteBuffer.allocate(4096);
            CompletableFuture<Long> counted = new CompletableFuture<>();
            long[] total = {sofar};
            peer.readSome(came, Operation.of(done -> {
                if (done.failure() != null || done.result() < 0) {
                    counted.complete(total[0]);
                    return;
                }
                for (int i = 0; i < done.result(); i++) {
                    assertEquals((byte) total[0]++, came.get(i));
                }
                peer.readSome(came.clear(), done);
            }));
            return counted;
        }

        /** Reads some bytes, looks whether they are those that come next, and sends them back. */
        boolean exchange(int most) {
            int count = get(socket.readSomeAsync(buffer.clear().limit(most)));
            for (int i = 0; i < count; i++) {
                assertEquals((byte) next++, buffer.get(i), "the bytes come in order, each once");
            }
            if (count > 0) {
                get(socket.writeAllAsync(buffer.flip()));
            }
            return count >= 0;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noByteIsLostWhileConnectionsInUseMove(boolean unix, @Seeded SplittableRandom random) {
        List<EventLoop> loops = List.of(started(), started(), started());
        Map<Integer, String> before = Descriptors.ofProgram();
        int size = MOVES / CONNECTIONS * 256;
        List<Used> used = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            used.add(new Used(connected(loops.get(0), unix), size));
        }
        for (int i = 0; i < MOVES; i++) {
            Used one = used.get(i % CONNECTIONS);
            one.exchange(1 + random.nextInt(200));
            EventLoop to = loops.get(random.nextInt(loops.size()));
            StreamSocket from = one.socket;
            one.socket = get(from.moveToAsync(to));
            assertSame(to, one.socket.eventLoop());
            assertFalse(from.isOpen());
        }
        for (Used one : used) {
            while (one.next < size) {
                assertTrue(one.exchange(256));
            }
            assertEquals(size, get(one.sent));
            one.socket.shutdownOutput();
            assertEquals(size, get(one.back));
            get(one.socket.closeAsync());
            get(one.peer.closeAsync());
        }
        assertNothingLeft(before);
    }

    @Test
    void theResultIsToldOnTheNewLoopAndTheOldHandleIsClosed() {
        EventLoop loop = started();
        EventLoop other = started();
        List<StreamSocket> both = pair(loop);
        CompletableFuture<Integer> waiting = both.get(1).readSomeAsync(ByteBuffer.allocate(1));
        on(loop, () -> null);
        CountDownLatch asked = new CountDownLatch(1);
        other.execute(() -> awaitUninterruptibly(asked));
        CompletableFuture<StreamSocket> moving = both.get(1).moveToAsync(other);
        CompletableFuture<Boolean> isThere = moving.thenApply(moved -> other.inLoop());
        asked.countDown();
        // Who waits for a future helps with its stages: nobody waits for this one before they have run.
        assertTrue(get(isThere));
        StreamSocket moved = closeLater(get(moving));
        assertMessage(assertInstanceOf(ClosedException.class, failureOf(waiting)), "detached or moved");
        StreamSocket old = both.get(1);
        assertThrows(ClosedException.class, () -> old.moveToAsync(other));
        assertThrows(ClosedException.class, old::detachAsync);
        assertThrows(ClosedException.class, old::peerCredentials);
        get(old.closeAsync());
        ByteBuffer buffer = ByteBuffer.allocate(8);
        get(both.get(0).writeAllAsync(bytes("x")));
        assertEquals(1, get(moved.readSomeAsync(buffer)));
    }

    /** To the kernel such a socket has no peer any more, and it still has bytes. */
    @Test
    void whatTheOtherSideSentBeforeItLeftIsReadBehindTheMove() {
        EventLoop loop = started();
        List<StreamSocket> both = connected(loop, false);
        get(both.get(1).shutdownOutputAsync());
        get(both.get(0).readSomeAsync(ByteBuffer.allocate(1)));
        get(both.get(0).writeAllAsync(bytes("last words")));
        get(both.get(0).closeAsync());
        StreamSocket moved = closeLater(get(both.get(1).moveToAsync(started())));
        ByteBuffer buffer = ByteBuffer.allocate(32);
        assertEquals(10, get(moved.readSomeAsync(buffer)));
        assertEquals(-1, get(moved.readSomeAsync(buffer)));
    }

    @Test
    void aLoopThatIsClosedRefusesAndTheConnectionStaysWhereItIs() {
        EventLoop loop = started();
        EventLoop closed = started();
        closed.close();
        List<StreamSocket> both = pair(loop);
        CompletableFuture<Integer> waiting = both.get(1).readSomeAsync(ByteBuffer.allocate(1));
        assertThrows(RejectedExecutionException.class, () -> both.get(1).moveToAsync(closed));
        assertTrue(both.get(1).isOpen());
        get(both.get(0).writeAllAsync(bytes("x")));
        assertEquals(1, get(waiting));
    }

    @Test
    void aConnectionOfALoopThatHasEndedMoves() {
        EventLoop loop = started();
        List<StreamSocket> both = pair(loop);
        loop.close();
        EventLoop other = started();
        StreamSocket left = closeLater(get(both.get(0).moveToAsync(other)));
        StreamSocket right = closeLater(get(both.get(1).moveToAsync(other)));
        get(left.writeAllAsync(bytes("x")));
        assertEquals(1, get(right.readSomeAsync(ByteBuffer.allocate(1))));
    }

    @Test
    void aCallbackMovesItsOwnConnectionAlsoToItsOwnLoop() {
        EventLoop loop = started();
        List<StreamSocket> both = pair(loop);
        StreamSocket moved =
                closeLater(on(loop, () -> both.get(1).moveToAsync(loop).join()));
        assertFalse(both.get(1).isOpen());
        get(both.get(0).writeAllAsync(bytes("x")));
        assertEquals(1, get(moved.readSomeAsync(ByteBuffer.allocate(1))));
    }

    @Test
    void aMoveThatNobodyWaitsForClosesTheConnection() {
        EventLoop loop = started();
        EventLoop other = started();
        List<StreamSocket> both = pair(loop);
        CountDownLatch cancelled = new CountDownLatch(1);
        loop.execute(() -> awaitUninterruptibly(cancelled));
        CompletableFuture<StreamSocket> moving = both.get(1).moveToAsync(other);
        moving.cancel(false);
        cancelled.countDown();
        assertEquals(-1, get(both.get(0).readSomeAsync(ByteBuffer.allocate(1))));
    }

    /** Both want to be the last that the handle does: one of them is, and the descriptor is closed once. */
    @Test
    void movesBesideClosesAndOtherMovesLoseNoDescriptor() {
        EventLoop loop = started();
        EventLoop other = started();
        Map<Integer, String> before = Descriptors.ofProgram();
        for (int i = 0; i < MOVES; i++) {
            List<StreamSocket> both = StreamSocket.pair(loop);
            StreamSocket moving = both.get(1);
            boolean isMoved = i % 2 == 0;
            CompletableFuture<StreamSocket> first = CompletableFuture.supplyAsync(
                    () -> moving.moveToAsync(other).join());
            CompletableFuture<StreamSocket> second = new CompletableFuture<>();
            try {
                if (isMoved) {
                    second = moving.moveToAsync(loop);
                } else {
                    moving.close();
                }
            } catch (ClosedException wasFirst) {
                second.completeExceptionally(wasFirst);
            }
            int moves = 0;
            for (CompletableFuture<StreamSocket> one : isMoved ? List.of(first, second) : List.of(first)) {
                StreamSocket moved = one.handle((socket, failure) -> socket).join();
                if (moved != null) {
                    moves++;
                    moved.close();
                }
            }
            assertTrue(isMoved ? moves == 1 : moves <= 1, "moves=" + moves);
            assertEquals(-1, get(both.get(0).readSomeAsync(ByteBuffer.allocate(1))));
            get(both.get(0).closeAsync());
        }
        assertNothingLeft(before);
    }

    @Test
    void movesToALoopThatEndsMeanwhileLoseNoDescriptor() {
        EventLoop loop = started();
        Map<Integer, String> before = Descriptors.ofProgram();
        int refused = 0;
        int rounds = MOVES / 10;
        for (int i = 0; i < rounds; i++) {
            EventLoop ending = EventLoop.open(options().build()).start();
            List<StreamSocket> both = StreamSocket.pair(loop);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(ending::close);
            StreamSocket there = both.get(1);
            StreamSocket moved = there;
            // On a busy machine each loop may end too late; the last one is waited for then.
            boolean isLast = i == rounds - 1 && refused == 0;
            for (int moves = 0; (moves < 10 || isLast) && moved != null; moves++) {
                there = moved;
                moved = moved(there, moves % 2 == 0 ? ending : loop);
            }
            refused += moved == null ? 1 : 0;
            get(closing);
            (moved == null ? there : moved).close();
            assertEquals(-1, get(both.get(0).readSomeAsync(ByteBuffer.allocate(1))));
            get(both.get(0).closeAsync());
        }
        assertTrue(refused > 0, "no loop ended in the midst of a move");
        assertNothingLeft(before);
    }

    /** Null where the other loop refuses, at once or in the end. */
    private static @Nullable StreamSocket moved(StreamSocket socket, EventLoop to) {
        CompletableFuture<StreamSocket> moving;
        try {
            moving = socket.moveToAsync(to);
        } catch (RejectedExecutionException atOnce) {
            assertTrue(socket.isOpen());
            return null;
        }
        Throwable[] why = new Throwable[1];
        StreamSocket moved = get(moving.handle((there, failure) -> {
                    why[0] = failure;
                    return Optional.ofNullable(there);
                }))
                .orElse(null);
        if (moved == null) {
            assertInstanceOf(RejectedExecutionException.class, why[0]);
        }
        return moved;
    }

    /** The loop takes no command any more when the descriptor comes. */
    @Test
    void whereTheLoopHasEndedWhenTheConnectionComesItIsClosedAndTheResultSaysSo() {
        EventLoop loop = started();
        EventLoop other = started();
        List<StreamSocket> both = pair(loop);
        CountDownLatch ended = new CountDownLatch(1);
        loop.execute(() -> awaitUninterruptibly(ended));
        CompletableFuture<StreamSocket> moving = both.get(1).moveToAsync(other);
        other.close();
        ended.countDown();
        assertInstanceOf(RejectedExecutionException.class, failureOf(moving));
        assertEquals(-1, get(both.get(0).readSomeAsync(ByteBuffer.allocate(1))));
    }

    @Test
    void anAdoptedConnectionIsAsItWasOnlyAfterItsLastHandle() {
        EventLoop loop = started();
        EventLoop other = started();
        List<StreamSocket> both = connected(loop, false);
        closeLater(both.get(0));
        int number = get(both.get(1).detachAsync());
        Sys.get().descriptors().setNonBlocking(number, false);
        StreamSocket adopted = StreamSocket.adopt(loop, number);
        StreamSocket moved = get(adopted.moveToAsync(other));
        assertTrue(Sys.get().descriptors().isNonBlocking(number));
        assertThrows(IllegalStateException.class, () -> StreamSocket.adopt(loop, number));
        assertEquals(number, get(moved.detachAsync()));
        assertFalse(Sys.get().descriptors().isNonBlocking(number));
        get(StreamSocket.adopt(loop, number).closeAsync());
    }
}
