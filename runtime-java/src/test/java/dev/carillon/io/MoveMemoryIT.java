package dev.carillon.io;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Connections that move where memory is short, in a VM of their own. */
final class MoveMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify io.move]
    @Test
    void aMoveThatFindsNoHeapLosesNoDescriptor() {
        ChildJvm.of(FullHeap.class)
                .vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .run(LIMIT)
                .assertPrintedOnly("0 left");
    }

    /** Some moves have begun when the last memory is gone; the others begin then. */
    static final class FullHeap {
        private static final int BEGUN = 50;

        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            EventLoop other = EventLoop.open().start();
            prepare(loop, other);
            int before = Descriptors.count();
            StreamSocket[] sockets = pairs(loop, BEGUN).toArray(StreamSocket[]::new);
            CountDownLatch memory = new CountDownLatch(1);
            loop.execute(() -> LoopCase.awaitUninterruptibly(memory));
            List<@Nullable CompletableFuture<StreamSocket>> moves =
                    new ArrayList<>(Collections.nCopies(sockets.length, null));
            for (int i = 0; i < BEGUN; i++) {
                moves.set(i, sockets[i].moveToAsync(other));
            }
            long end = System.nanoTime() + LIMIT.toNanos() / 2;
            awaitMoves(List.of(), end);
            Object[] taken = new Object[400_000];
            Ballast.fill(taken);
            int refused = 0;
            for (int i = BEGUN; i < sockets.length; i++) {
                try {
                    moves.set(i, sockets[i].moveToAsync(other));
                } catch (OutOfMemoryError full) {
                    refused++;
                }
            }
            memory.countDown();
            awaitMoves(moves, end);
            Arrays.fill(taken, null);
            System.err.println(refused + " moves found no memory");
            for (int i = 0; i < sockets.length; i++) {
                CompletableFuture<StreamSocket> move = moves.get(i);
                StreamSocket there = move == null ? sockets[i] : LoopCase.get(move);
                LoopCase.get(there.closeAsync());
            }
            Descriptors.printLeft(before);
            loop.close();
            other.close();
        }

        /** Looks without allocating. */
        private static void awaitMoves(List<@Nullable CompletableFuture<StreamSocket>> moves, long end) {
            for (int i = 0; i < Math.min(BEGUN, moves.size()); i++) {
                CompletableFuture<StreamSocket> move = moves.get(i);
                while (move != null && !move.isDone() && System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
            }
        }

        private static List<StreamSocket> pairs(EventLoop loop, int count) {
            List<StreamSocket> sockets = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                sockets.addAll(StreamSocket.pair(loop));
            }
            return sockets;
        }

        /** Everything has worked once, so that what is short is not memory for classes. */
        private static void prepare(EventLoop loop, EventLoop other) {
            for (StreamSocket socket : pairs(loop, 20)) {
                LoopCase.get(LoopCase.get(socket.moveToAsync(other)).closeAsync());
            }
            LoopCase.on(loop, Descriptors::count);
        }
    }
}
