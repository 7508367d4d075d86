package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Buffers whose position somebody else moves while an operation has them, and one that stands for two. */
abstract class ChangedBufferContract extends LoopCase {
    private static final int MUCH = 8 << 20;
    private static final String TOLD = "a buffer belongs to one operation until that is told";

    @TempDir
    private Path folder;

    /** A write of much that waits, as nobody reads; then the buffer is changed, and somebody reads. */
    private Throwable failureOfAWriteDuringWhich(Runnable change, ByteBuffer... buffers) {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        CompletableFuture<Long> write = pair.get(0).writeAllAsync(buffers);
        Deadline.after(LIMIT)
                .await(
                        "it waits",
                        () -> on(loop, () -> loop.stats().pendingOperations() == 1 && buffers[0].position() > 0));
        on(loop, () -> {
            change.run();
            return true;
        });
        ByteBuffer sink = ByteBuffer.allocateDirect(1 << 20);
        Operation read = Operation.of(done -> {
            if (done.failure() == null && done.result() > 0) {
                pair.get(1).readSome(sink.clear(), done);
            }
        });
        pair.get(1).readSome(sink, read);
        Throwable failure = failureOf(write);
        on(loop, () -> loop.stats().pendingOperations());
        pair.get(1).close();
        return failure;
    }

    // r[verify io.partial]
    @Test
    void aWriteOfAllWhoseBufferIsMovedIsNoSuccess() {
        for (ByteBuffer much : List.of(ByteBuffer.allocate(MUCH), ByteBuffer.allocateDirect(MUCH))) {
            Throwable failure = failureOfAWriteDuringWhich(() -> much.position(MUCH - 10), much);
            assertMessage(assertInstanceOf(IllegalStateException.class, failure), TOLD);
            assertMessage(failure, "that remained when the operation was started");
        }
    }

    // r[verify io.partial]
    @Test
    void norIsOneWhoseBufferIsEmptiedOrGoesBack() {
        ByteBuffer much = ByteBuffer.allocateDirect(MUCH);
        assertMessage(failureOfAWriteDuringWhich(() -> much.position(MUCH), much), "nothing remains in the buffer");
        ByteBuffer back = ByteBuffer.allocateDirect(MUCH);
        assertMessage(failureOfAWriteDuringWhich(() -> back.position(0), back), TOLD);
    }

    // r[verify io.partial]
    @Test
    void norIsOneOfManyOfWhichAnotherIsMoved() {
        ByteBuffer first = ByteBuffer.allocateDirect(MUCH);
        ByteBuffer second = ByteBuffer.allocateDirect(100);
        assertMessage(failureOfAWriteDuringWhich(() -> second.position(50), first, second), TOLD);
    }

    // r[verify io.partial]
    @Test
    void aWriteOfSomeWhoseBufferIsEmptiedIsNoSuccessEither() {
        EventLoop loop = started();
        StreamSocket socket = pair(loop).get(0);
        ByteBuffer bytes = ByteBuffer.allocate(5);
        ByteBuffer other = ByteBuffer.allocate(5);
        for (ByteBuffer[] buffers : new ByteBuffer[][] {{bytes}, {bytes, other}}) {
            CompletableFuture<Integer> write = on(loop, () -> {
                CompletableFuture<Integer> later = new CompletableFuture<>();
                Thread poster = new Thread(() -> {
                    CompletableFuture<Integer> started = socket.writeSomeAsync(buffers);
                    var unused = started.whenComplete((count, failure) -> complete(later, count, failure));
                });
                poster.start();
                LoopCase.joinUninterruptibly(poster);
                Stream.of(buffers).forEach(buffer -> buffer.position(buffer.limit()));
                return later;
            });
            assertMessage(failureOf(write), "nothing remains in the buffer any more");
            Stream.of(buffers).forEach(ByteBuffer::clear);
        }
    }

    private static void complete(CompletableFuture<Integer> later, Integer count, @Nullable Throwable failure) {
        if (failure == null) {
            later.complete(count);
        } else {
            later.completeExceptionally(failure);
        }
    }

    /** Without bytes nothing is sent, and the descriptors would be lost; a receiver would see an end. */
    // r[verify io.scm-rights]
    @Test
    void descriptorsNeverTravelWithoutABuffer() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer one = ByteBuffer.allocate(1);
        CompletableFuture<ReceivedDescriptors> received = pair.get(1).receiveDescriptorsAsync(one, 1);
        on(loop, () -> one.position(1));
        get(pair.get(0).writeSomeAsync(LoopCase.bytes("x")));
        assertMessage(failureOf(received), "nothing remains in the buffer any more");
    }

    // r[verify io.buffers]
    @Test
    void oneBufferTwiceIsRefusedAtTheCall() {
        StreamSocket socket = pair(started()).get(0);
        ByteBuffer twice = ByteBuffer.allocate(4);
        ByteBuffer[] many =
                Stream.generate(() -> ByteBuffer.allocate(4)).limit(200).toArray(ByteBuffer[]::new);
        many[3] = twice;
        many[199] = twice;
        for (Executable call : List.<Executable>of(
                () -> socket.writeAllAsync(twice, ByteBuffer.allocate(1), twice),
                () -> socket.writeSomeAsync(twice, ByteBuffer.allocate(1), twice),
                () -> socket.readSomeAsync(twice, ByteBuffer.allocate(1), twice))) {
            assertMessage(
                    assertThrows(IllegalArgumentException.class, call),
                    "buffers[0] and buffers[2] are the same buffer");
        }
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> socket.writeAllAsync(many)),
                "buffers[3] and buffers[199] are the same buffer");
        assertEquals(0, twice.position());
        ByteBuffer empty = ByteBuffer.allocate(0);
        assertEquals(8L, get(socket.writeAllAsync(empty, twice, empty, twice.duplicate())));
    }

    // r[verify io.partial]
    @Test
    void aReadOfAllWhoseBufferIsMovedIsNoSuccess() throws Exception {
        EventLoop loop = started();
        FileHandle file = get(FileHandle.open(
                loop,
                folder.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.READ));
        get(file.writeAllAtAsync(ByteBuffer.allocate(MUCH), 0));
        ByteBuffer buffer = ByteBuffer.allocateDirect(MUCH);
        CompletableFuture<Integer> read = on(loop, () -> {
            CompletableFuture<Integer> started = file.readAllAtAsync(buffer, 0);
            assertTrue(buffer.position() > 0 && buffer.hasRemaining(), buffer::toString);
            buffer.position(MUCH - 1);
            return started;
        });
        assertMessage(failureOf(read), TOLD);
        get(file.closeAsync());
    }
}
