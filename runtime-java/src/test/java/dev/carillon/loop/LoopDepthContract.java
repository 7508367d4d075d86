package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.FileHandle;
import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A loop on a small stack: however much is pending, and whatever follows from what, nothing is called from within. */
abstract class LoopDepthContract extends LoopCase {
    private static final int MANY = 50_000;

    /** More than there is room for on the stack, if each is closed from within the close of another. */
    private static final int HANDLES = 1_000;

    /** For some thousand calls at the most. */
    private static final int STACK = 192 * 1024;

    private static final String LOOP = "loop-on-a-small-stack";

    private EventLoop onSmallStack() {
        EventLoop loop = open(options().name(LOOP));
        new Thread(null, () -> loop.run(RunMode.STOPPED), LOOP, STACK).start();
        Deadline.after(LIMIT).await("it has a thread", loop::hasThread);
        return loop;
    }

    private FileHandle sink(EventLoop loop) {
        return closeLater(get(FileHandle.open(loop, Path.of("/dev/null"), StandardOpenOption.WRITE)));
    }

    private void assertNoErrors(EventLoop loop) {
        assertEquals("alive", on(loop, () -> "alive"));
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify io.try-first]
    @Test
    void operationsThatAreStartedInCompletionsNeedNoStack() {
        EventLoop loop = onSmallStack();
        FileHandle sink = sink(loop);
        ByteBuffer buffer = ByteBuffer.allocate(1);
        CompletableFuture<Integer> over = new CompletableFuture<>();
        int[] ran = {0};
        Operation write = Operation.of(done -> {
            if (++ran[0] == MANY) {
                over.complete(ran[0]);
            } else {
                sink.writeSome(buffer.clear(), done);
            }
        });
        loop.execute(() -> sink.writeSome(buffer, write));
        assertEquals(MANY, get(over));
        assertNoErrors(loop);
    }

    // r[verify io.try-first]
    @Test
    void operationsThatFailAtOnceNeedNoStackEither() {
        EventLoop loop = onSmallStack();
        StreamSocket closed = pair(loop).get(0);
        get(closed.closeAsync());
        CompletableFuture<Integer> over = new CompletableFuture<>();
        int[] ran = {0};
        Operation read = Operation.of(done -> {
            if (++ran[0] == MANY || done.failure() == null) {
                over.complete(ran[0]);
            } else {
                closed.readSome(ByteBuffer.allocate(1), done);
            }
        });
        loop.execute(() -> closed.readSome(ByteBuffer.allocate(1), read));
        assertEquals(MANY, get(over));
        assertNoErrors(loop);
    }

    // r[verify loop.depth]
    @Test
    void futuresThatAreCompletedInAChainNeedNoStack() {
        EventLoop loop = onSmallStack();
        FileHandle sink = sink(loop);
        CompletableFuture<Integer> over = new CompletableFuture<>();
        loop.execute(() -> writeNext(sink, MANY, over));
        assertEquals(0, get(over));
        CompletableFuture<Integer> first = loop.newFuture();
        CompletableFuture<Integer> last = first;
        for (int i = 0; i < MANY; i++) {
            last = last.thenApply(number -> number + 1);
        }
        loop.execute(() -> first.complete(0));
        assertEquals(MANY, get(last));
        assertNoErrors(loop);
    }

    private static void writeNext(FileHandle sink, int left, CompletableFuture<Integer> over) {
        var unused = sink.writeSomeAsync(ByteBuffer.allocate(1)).whenComplete((written, failure) -> {
            if (failure != null) {
                over.completeExceptionally(failure);
            } else if (left == 0) {
                over.complete(left);
            } else {
                writeNext(sink, left - 1, over);
            }
        });
    }

    // r[verify loop.depth]
    @Test
    void timersThatAreSetInTimersAndTasksThatArePostedInTasksNeedNoStack() {
        EventLoop loop = onSmallStack();
        CompletableFuture<Integer> over = new CompletableFuture<>();
        loop.schedule(Duration.ZERO, () -> timer(loop, MANY, over));
        assertEquals(0, get(over));
        CompletableFuture<Integer> posted = new CompletableFuture<>();
        loop.execute(() -> task(loop, MANY, posted));
        assertEquals(0, get(posted));
        assertNoErrors(loop);
    }

    private static void timer(EventLoop loop, int left, CompletableFuture<Integer> over) {
        if (left == 0) {
            over.complete(left);
        } else {
            loop.schedule(Duration.ofNanos(-left), () -> timer(loop, left - 1, over));
        }
    }

    private static void task(EventLoop loop, int left, CompletableFuture<Integer> over) {
        if (left == 0) {
            over.complete(left);
        } else {
            loop.execute(() -> task(loop, left - 1, over));
        }
    }

    /** Each completion cancels the next operation. */
    // r[verify loop.depth]
    @Test
    void cancelsThatFollowFromEachOtherNeedNoStack() {
        EventLoop loop = onSmallStack();
        StreamSocket socket = pair(loop).get(0);
        List<Operation> reads = new ArrayList<>();
        CompletableFuture<Integer> over = new CompletableFuture<>();
        on(loop, () -> {
            for (int i = 0; i < MANY; i++) {
                int next = i + 1;
                Operation read = Operation.of(done -> {
                    if (next == MANY) {
                        over.complete(next);
                    } else {
                        reads.get(next).cancel();
                    }
                });
                reads.add(read);
                socket.readSome(ByteBuffer.allocate(1), read);
            }
            reads.get(0).cancel();
            return true;
        });
        assertEquals(MANY, get(over));
        assertNoErrors(loop);
    }

    /** Those that are told of an end close one more handle each, whose operations are told then. */
    // r[verify loop.depth]
    @Test
    void closingWithVeryManyPendingNeedsNoStack() {
        EventLoop loop = onSmallStack();
        List<StreamSocket> sockets = new ArrayList<>();
        while (sockets.size() < HANDLES) {
            sockets.addAll(pair(loop));
        }
        Queue<StreamSocket> toClose = new ArrayDeque<>(sockets);
        int[] told = {0};
        on(loop, () -> {
            for (int i = 0; i < MANY; i++) {
                sockets.get(i % HANDLES).readSome(ByteBuffer.allocate(1), Operation.of(done -> {
                    told[0]++;
                    closeNext(toClose);
                }));
                loop.schedule(Duration.ofHours(1), new LoopTask() {
                    @Override
                    public void run() {
                        errors.add(new AssertionError("it is not due"));
                    }

                    @Override
                    public void onLoopEnd() {
                        told[0]++;
                        closeNext(toClose);
                    }
                });
            }
            return true;
        });
        loop.close();
        assertEquals(2 * MANY, told[0]);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    private static void closeNext(Queue<StreamSocket> sockets) {
        StreamSocket next = sockets.poll();
        if (next != null) {
            next.close();
        }
    }
}
