package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cancelling and closing: each operation is told once, no byte and no connection is lost. */
abstract class CancelContract extends LoopCase {
    /** So often is looked without giving the processor away. */
    private static final int SPINS = 2_000;

    /** How often a cancel races with a result. */
    int races() {
        return 100_000;
    }

    // r[verify io.cancel]
    @Test
    void aCancelledReadIsToldOnceAndTheNextOneGetsTheBytes() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        AtomicInteger told = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Operation first = Operation.of(done -> {
            failure.set(done.failure());
            told.incrementAndGet();
        });
        pair.get(1).readSome(ByteBuffer.allocate(4), first);
        on(loop, () -> true);
        first.cancel();
        first.cancel();
        Deadline.after(LIMIT).await("it is told", () -> told.get() == 1);
        assertInstanceOf(CancellationException.class, failure.get());
        ByteBuffer buffer = ByteBuffer.allocate(4);
        CompletableFuture<Integer> second = pair.get(1).readSomeAsync(buffer);
        get(pair.get(0).writeSomeAsync(LoopCase.bytes("data")));
        assertEquals(4, get(second));
        assertEquals(1, told.get());
    }

    // r[verify io.cancel]
    @Test
    void cancellingOneOfSeveralKeepsTheOrderOfTheOthers() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        List<ByteBuffer> buffers = new ArrayList<>();
        List<CompletableFuture<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            buffers.add(ByteBuffer.allocate(1));
            reads.add(pair.get(1).readSomeAsync(buffers.get(i)));
        }
        reads.get(0).cancel(false);
        reads.get(2).cancel(false);
        on(loop, () -> true);
        get(pair.get(0).writeSomeAsync(LoopCase.bytes("abc")));
        assertEquals(1, get(reads.get(1)));
        assertEquals(1, get(reads.get(3)));
        assertEquals(1, get(reads.get(4)));
        assertEquals(
                "abc", LoopCase.text(buffers.get(1)) + LoopCase.text(buffers.get(3)) + LoopCase.text(buffers.get(4)));
    }

    // r[verify io.cancel]
    @Test
    @Timeout(600)
    void inEveryRaceOfACancelWithItsResultThePositionTellsWhatWasTaken(@Seeded SplittableRandom random) {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        AtomicLong told = new AtomicLong();
        AtomicLong cancelled = new AtomicLong();
        long position = 0;
        ByteBuffer in = ByteBuffer.allocateDirect(1);
        ByteBuffer out = ByteBuffer.allocateDirect(1);
        Operation read = Operation.of(done -> {
            if (done.failure() != null) {
                cancelled.incrementAndGet();
            }
            told.incrementAndGet();
        });
        Operation write = Operation.of(done -> {});
        long written = 0;
        for (long i = 1; i <= races(); i++) {
            long expected = i;
            boolean writes = written == position && random.nextBoolean();
            pair.get(1).readSome(in.clear(), read);
            if (writes) {
                pair.get(0).writeSome(out.clear(), write);
                written++;
            }
            spin(random.nextInt(200));
            read.cancel();
            awaitEnd(() -> told.get() == expected && !write.isPending());
            position += in.position();
        }
        assertEquals(races(), told.get());
        while (position < written) {
            position += get(pair.get(1).readSomeAsync(in.clear()));
        }
        assertEquals(written, position);
        assertTrue(cancelled.get() > 0 && cancelled.get() < races(), () -> "cancelled=" + cancelled);
    }

    /** Each race has its own patience: on a busy machine all together may take as long as they like. */
    private static void awaitEnd(BooleanSupplier isOver) {
        for (int i = 0; i < SPINS && !isOver.getAsBoolean(); i++) {
            Thread.onSpinWait();
        }
        Deadline.after(LIMIT).await("the race is over", isOver);
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    // r[verify io.cancel]
    @Test
    void aLateCancelDoesNotHitTheNextStartOfItsOperation() {
        EventLoop loop = open(options().batch(1));
        loop.start();
        List<StreamSocket> pair = pair(loop);
        CompletableFuture<String> second = new CompletableFuture<>();
        AtomicInteger told = new AtomicInteger();
        ByteBuffer buffer = ByteBuffer.allocate(1);
        Operation read = Operation.of(done -> {
            if (told.incrementAndGet() == 2) {
                second.complete(String.valueOf(done.failure()));
            } else {
                pair.get(1).readSome(buffer.clear(), done);
            }
        });
        pair.get(1).readSome(buffer, read);
        on(loop, () -> true);
        on(loop, () -> {
            // The cancel lies behind so many tasks that the read completes and starts again before its turn.
            Thread canceller = new Thread(() -> {
                for (int i = 0; i < 20; i++) {
                    loop.execute(() -> {});
                }
                read.cancel();
            });
            canceller.start();
            LoopCase.joinUninterruptibly(canceller);
            pair.get(0).writeSome(LoopCase.bytes("x"), Operation.of(done -> {}));
            return true;
        });
        on(loop, () -> true);
        assertEquals(1, told.get());
        get(pair.get(0).writeSomeAsync(LoopCase.bytes("y")));
        assertEquals("null", get(second));
    }

    // r[verify io.cancel]
    @Test
    void aConnectionThatCameForACancelledAcceptGoesToTheNextOne() {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        for (int round = 0; round < 300; round++) {
            CompletableFuture<StreamSocket> first = server.acceptAsync();
            CompletableFuture<StreamSocket> connected = StreamSocket.connect(loop, server.localAddress());
            CancelContract.spin(round * 20);
            boolean cancelled = first.cancel(false);
            StreamSocket accepted = get(cancelled ? server.acceptAsync() : first);
            StreamSocket client = get(connected);
            assertEquals(client.localAddress(), accepted.remoteAddress());
            accepted.close();
            client.close();
        }
    }

    // r[verify io.close]
    @Test
    void closingFailsWhatWaitsAndClosesOnceFromAnyThread() throws InterruptedException {
        EventLoop loop = started();
        for (int round = 0; round < 200; round++) {
            List<StreamSocket> pair = pair(loop);
            CompletableFuture<Integer> read = pair.get(0).readSomeAsync(ByteBuffer.allocate(1));
            List<Thread> closers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                closers.add(new Thread(pair.get(0)::close));
            }
            closers.forEach(Thread::start);
            assertInstanceOf(ClosedException.class, failureOf(read));
            for (Thread closer : closers) {
                closer.join(LIMIT.toMillis());
            }
            get(pair.get(0).closeAsync());
            assertInstanceOf(ClosedException.class, failureOf(pair.get(0).readSomeAsync(ByteBuffer.allocate(1))));
            assertEquals(-1, get(pair.get(1).readSomeAsync(ByteBuffer.allocate(1))));
            get(pair.get(1).closeAsync());
        }
        assertTrue(errors.isEmpty(), errors::toString);
    }

    @Test
    void closingWithinACompletionIsSafe() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        CompletableFuture<Throwable> second = new CompletableFuture<>();
        pair.get(1)
                .readSome(
                        ByteBuffer.allocate(1), Operation.of(done -> pair.get(1).close()));
        pair.get(1).readSome(ByteBuffer.allocate(1), Operation.of(done -> second.complete(done.failure())));
        on(loop, () -> true);
        get(pair.get(0).writeSomeAsync(LoopCase.bytes("a")));
        assertInstanceOf(ClosedException.class, get(second));
    }

    @Test
    void anEventOfAClosedDescriptorDoesNotReachTheNextOneWithItsPlace() {
        EventLoop loop = open();
        List<StreamSocket> old = pair(loop);
        List<StreamSocket> other = pair(loop);
        loop.runUntilEmpty();
        AtomicReference<StreamSocket> reused = new AtomicReference<>();
        AtomicInteger told = new AtomicInteger();
        Operation late = Operation.of(done -> told.incrementAndGet());
        // Both become readable; the first to be told closes the other's descriptor and takes its number and place.
        Operation[] reads = new Operation[2];
        for (int i = 0; i < 2; i++) {
            StreamSocket mine = i == 0 ? old.get(1) : other.get(1);
            StreamSocket victim = i == 0 ? other.get(1) : old.get(1);
            reads[i] = Operation.of(done -> {
                if (reused.get() == null && done.failure() == null) {
                    victim.close();
                    StreamSocket next = pair(loop).get(0);
                    reused.set(next);
                    next.readSome(ByteBuffer.allocate(1), late);
                }
            });
            mine.pollReadable(reads[i]);
        }
        old.get(0).writeSome(LoopCase.bytes("x"), Operation.of(done -> {}));
        other.get(0).writeSome(LoopCase.bytes("x"), Operation.of(done -> {}));
        for (int i = 0; i < 20; i++) {
            loop.runUntilEmpty();
        }
        assertTrue(reused.get() != null);
        assertEquals(0, told.get());
    }

    // r[verify loop.stop]
    @Test
    void aLoopClosedWithAThousandPendingOperationsTellsEachOnce() {
        EventLoop loop = started();
        AtomicInteger told = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        List<Operation> operations = new ArrayList<>();
        List<StreamSocket> sockets = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            sockets.addAll(StreamSocket.pair(loop));
        }
        for (StreamSocket socket : sockets) {
            Operation operation = Operation.of(done -> {
                told.incrementAndGet();
                if (done.failure() instanceof ClosedException) {
                    closed.incrementAndGet();
                }
            });
            operations.add(operation);
            socket.readSome(ByteBuffer.allocate(1), operation);
        }
        loop.close();
        assertEquals(1_000, told.get());
        assertEquals(1_000, closed.get());
        assertTrue(operations.stream().noneMatch(Operation::isPending));
        assertThrows(RejectedExecutionException.class, () -> sockets.get(0).readSomeAsync(ByteBuffer.allocate(1)));
        sockets.forEach(StreamSocket::close);
    }

    // r[verify io.future]
    @Test
    void whoeverCompletesAFutureCancelsItsOperation() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        Map<String, Consumer<CompletableFuture<Integer>>> ways = Map.of(
                "orTimeout",
                future -> future.orTimeout(1, TimeUnit.MILLISECONDS),
                "completeOnTimeout",
                future -> future.completeOnTimeout(7, 1, TimeUnit.MILLISECONDS),
                "complete",
                future -> future.complete(7),
                "completeExceptionally",
                future -> future.completeExceptionally(new IllegalStateException("planted")),
                "completeAsync",
                future -> future.completeAsync(() -> 7, Runnable::run),
                "obtrudeValue",
                future -> future.obtrudeValue(7),
                "obtrudeException",
                future -> future.obtrudeException(new IllegalStateException("planted")),
                "cancel",
                future -> future.cancel(false));
        ways.forEach((name, way) -> {
            ByteBuffer buffer = ByteBuffer.allocate(8);
            CompletableFuture<Integer> future = pair.get(1).readSomeAsync(buffer);
            // From now on it is counted until it is over, also where a future is done a moment before its cancel.
            on(loop, () -> true);
            way.accept(future);
            Deadline.after(LIMIT)
                    .await(
                            "the read is over after " + name,
                            () -> future.isDone() && loop.stats().pendingOperations() == 0);
            // What comes now is for the next read, and does not go into the buffer of the one that was given up.
            CompletableFuture<Integer> next = pair.get(1).readSomeAsync(ByteBuffer.allocate(8));
            get(pair.get(0).writeAllAsync(LoopCase.bytes("x")));
            Deadline.after(LIMIT).await("the next read gets what comes after " + name, next::isDone);
            assertEquals(1, get(next), name);
            assertEquals(0, buffer.position(), name);
        });
    }
}
