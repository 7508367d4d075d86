package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an operation keeps, and what it leaves in the loop's queue. */
abstract class OperationMemoryContract extends LoopCase {
    private StreamSocket socket(EventLoop loop) {
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        return pair.get(0);
    }

    private static CountDownLatch busy(EventLoop loop) {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        loop.execute(() -> {
            begun.countDown();
            Deadline.after(LIMIT).await("the loop may go on", () -> end.getCount() == 0);
        });
        Deadline.after(LIMIT).await("the loop is busy", () -> begun.getCount() == 0);
        return end;
    }

    // r[verify io.cancel]
    @Test
    void manyCancelsOfOneStartAreOneEntryInTheQueue() {
        EventLoop loop = started();
        StreamSocket socket = socket(loop);
        AtomicInteger told = new AtomicInteger();
        Operation read = Operation.of(done -> {
            assertInstanceOf(CancellationException.class, done.failure());
            told.incrementAndGet();
        });
        for (int start = 1; start <= 3; start++) {
            socket.readSome(ByteBuffer.allocate(1), read);
            on(loop, () -> true);
            CountDownLatch end = busy(loop);
            long before = posts(loop);
            for (int i = 0; i < 10_000; i++) {
                read.cancel();
            }
            assertEquals(1, posts(loop) - before);
            end.countDown();
            int expected = start;
            Deadline.after(LIMIT).await("it is told", () -> told.get() == expected);
        }
    }

    // r[verify io.cancel]
    @Test
    void cancelsOfManyThreadsAreOneEntryEach() throws InterruptedException {
        EventLoop loop = started();
        StreamSocket socket = socket(loop);
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        Operation read = Operation.of(done -> told.complete(done.failure()));
        socket.readSome(ByteBuffer.allocate(1), read);
        on(loop, () -> true);
        CountDownLatch end = busy(loop);
        long before = posts(loop);
        List<Thread> cancellers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread canceller = new Thread(() -> {
                for (int times = 0; times < 5_000; times++) {
                    read.cancel();
                }
            });
            cancellers.add(canceller);
            canceller.start();
        }
        for (Thread canceller : cancellers) {
            canceller.join();
        }
        long backlog = posts(loop) - before;
        end.countDown();
        assertInstanceOf(CancellationException.class, get(told));
        assertEquals(1, backlog);
    }

    // r[verify io.buffers]
    @Test
    void anOperationDoesNotKeepTheBufferThatItUsedLast() {
        EventLoop loop = started();
        StreamSocket socket = socket(loop);
        List<Operation> operations = new ArrayList<>();
        List<WeakReference<ByteBuffer>> buffers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 10);
            CompletableFuture<Long> written = new CompletableFuture<>();
            Operation write = Operation.of(done -> written.complete(done.result()));
            socket.writeAll(buffer, write);
            assertEquals(1 << 10, get(written));
            operations.add(write);
            buffers.add(new WeakReference<>(buffer));
        }
        Deadline.after(LIMIT).await("the buffers are collected", () -> {
            System.gc();
            return buffers.stream().allMatch(buffer -> buffer.get() == null);
        });
        assertTrue(operations.stream().noneMatch(Operation::isPending));
    }
}
