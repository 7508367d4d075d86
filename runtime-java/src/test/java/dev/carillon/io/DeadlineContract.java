package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operations that have so much time, on a clock that stands still unless a test moves it. */
abstract class DeadlineContract extends LoopCase {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long NANOS = MINUTE.toNanos();

    private final AtomicLong clock = new AtomicLong(1);
    private int completions;

    private EventLoop onThatClock() {
        return open(options().clock(clock::get));
    }

    private void pass(EventLoop loop, long nanos) {
        clock.addAndGet(nanos);
        loop.runUntilEmpty();
    }

    private Operation counted() {
        return Operation.of(done -> completions++);
    }

    private void assertLate(EventLoop loop, Consumer<Operation> start) {
        completions = 0;
        Operation operation = counted().within(MINUTE);
        start.accept(operation);
        loop.runUntilEmpty();
        pass(loop, NANOS - 1);
        assertTrue(operation.isPending(), "it ended early");
        pass(loop, 1);
        assertFalse(operation.isPending(), "it has no end");
        SocketTimeoutException late = assertInstanceOf(SocketTimeoutException.class, operation.failure());
        assertMessage(late, "was not done in its time");
        assertEquals(1, completions);
        assertEquals(0, loop.stats().pendingOperations());
    }

    // r[verify io.deadline]
    @Test
    void eachKindOfWaitEndsWhenItsTimeIsOver() {
        EventLoop loop = onThatClock();
        List<StreamSocket> pair = pair(loop);
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        DatagramSocket datagrams = closeLater(DatagramSocket.bind(loop, localFour()));
        ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        assertLate(loop, operation -> pair.get(0).readSome(buffer, operation));
        assertLate(loop, operation -> pair.get(0).receiveDescriptors(buffer, 1, operation));
        assertLate(loop, operation -> pair.get(0).pollReadable(operation));
        assertLate(loop, operation -> pair.get(0).pollPriority(operation));
        assertLate(loop, server::accept);
        assertLate(loop, operation -> datagrams.receive(buffer, operation));
        assertEquals(0, buffer.position());
        // What comes now is for the next start, and not lost.
        pair.get(1).writeSome(bytes("x"), Operation.of(done -> {}));
        Operation next = Operation.of(done -> {});
        pair.get(0).readSome(buffer, next);
        loop.runUntilEmpty();
        assertEquals(1, next.result());
    }

    // r[verify io.deadline]
    @Test
    void aWriteThatIsLateTellsWhatItHasWritten() {
        EventLoop loop = onThatClock();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer much = ByteBuffer.allocateDirect(16 << 20);
        Operation write = Operation.of(done -> {}).within(MINUTE);
        pair.get(0).writeAll(much, write);
        loop.runUntilEmpty();
        pass(loop, NANOS);
        SocketTimeoutException late = assertInstanceOf(SocketTimeoutException.class, write.failure());
        assertTrue(much.position() > 0 && much.hasRemaining());
        assertEquals(much.position(), late.bytesTransferred);
        assertMessage(late, "the other side takes nothing more");
    }

    // r[verify io.deadline]
    @Test
    void eachStartHasItsOwnTime() {
        EventLoop loop = onThatClock();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        List<@Nullable Throwable> ends = new ArrayList<>();
        Operation read = Operation.of(done -> {
                    ends.add(done.failure());
                    if (done.failure() == null) {
                        pair.get(0).readSome(buffer.clear(), done);
                    }
                })
                .within(MINUTE);
        pair.get(0).readSome(buffer, read);
        for (int i = 0; i < 10; i++) {
            pass(loop, NANOS - 1);
            pair.get(1).writeSome(bytes("x"), Operation.of(done -> {}));
            loop.runUntilEmpty();
        }
        assertEquals(10, ends.size());
        assertTrue(ends.stream().allMatch(failure -> failure == null));
        pass(loop, NANOS);
        assertInstanceOf(SocketTimeoutException.class, ends.get(10));
    }

    // r[verify io.deadline]
    @Test
    void whatIsThereAtOnceNeedsNoTime() {
        EventLoop loop = onThatClock();
        List<StreamSocket> pair = pair(loop);
        pair.get(1).writeSome(bytes("x"), Operation.of(done -> {}));
        Operation read = Operation.of(done -> {}).within(Duration.ofSeconds(-1));
        pair.get(0).readSome(ByteBuffer.allocate(1), read);
        loop.runUntilEmpty();
        assertNull(read.failure());
        pair.get(0).readSome(ByteBuffer.allocate(1), read);
        loop.runUntilEmpty();
        assertInstanceOf(SocketTimeoutException.class, read.failure());
    }

    // r[verify io.deadline]
    @Test
    void aTimeThatCannotBeCountedNeverEnds() {
        EventLoop loop = onThatClock();
        List<StreamSocket> pair = pair(loop);
        Operation read = Operation.of(done -> {}).within(Duration.ofSeconds(Long.MAX_VALUE));
        pair.get(0).readSome(ByteBuffer.allocate(1), read);
        loop.runUntilEmpty();
        pass(loop, Long.MAX_VALUE / 2);
        assertTrue(read.isPending());
        assertThrows(IllegalStateException.class, () -> read.within(MINUTE));
        read.cancel();
        loop.runUntilEmpty();
        assertFalse(read.isPending());
    }

    // r[verify io.deadline]
    @Test
    void whatCameInTimeIsThereThoughTheLoopWasBusyUntilAfterwards() {
        EventLoop loop = onThatClock();
        EventLoop other = started();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        closeLater(pair.get(0));
        CompletableFuture<StreamSocket> moved = pair.get(1).moveToAsync(other);
        loop.runUntilEmpty();
        StreamSocket peer = closeLater(get(moved));
        Operation read = Operation.of(done -> {}).within(MINUTE);
        pair.get(0).readSome(ByteBuffer.allocate(1), read);
        loop.execute(() -> {
            // No future: its wait would be refused on the thread of a loop.
            CountDownLatch written = new CountDownLatch(1);
            peer.writeSome(bytes("x"), Operation.of(done -> written.countDown()));
            awaitUninterruptibly(written);
            clock.addAndGet(2 * NANOS);
        });
        loop.runUntilEmpty();
        assertNull(read.failure());
        assertEquals(1, read.result());
    }

    // r[verify io.deadline]
    @Test
    void aTimerOfAnEarlierStartEndsNoLaterOne() {
        EventLoop loop = onThatClock();
        EventLoop other = onThatClock();
        List<StreamSocket> pair = pair(loop);
        List<StreamSocket> otherPair = pair(other);
        ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        Operation read = Operation.of(done -> {}).within(MINUTE);
        pair.get(0).readSome(buffer, read);
        loop.runUntilEmpty();
        pass(loop, NANOS - 1);
        read.cancel();
        loop.runUntilEmpty();
        assertFalse(read.isPending());
        // The same operation on another loop, and then here again.
        otherPair.get(0).readSome(buffer, read);
        pass(loop, 1);
        pass(other, NANOS - 2);
        assertTrue(read.isPending());
        pass(other, 1);
        assertInstanceOf(SocketTimeoutException.class, read.failure());
        pair.get(0).readSome(buffer, read);
        pass(loop, NANOS - 1);
        assertTrue(read.isPending());
        pass(loop, 1);
        assertInstanceOf(SocketTimeoutException.class, read.failure());
    }

    // r[verify io.deadline]
    @Test
    void aLoopThatRunsSeesTheEndByItself() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        Operation read = counted().within(Duration.ofMillis(20));
        pair.get(0).readSome(ByteBuffer.allocate(1), read);
        Deadline.after(LIMIT).await("its time is over", () -> !read.isPending());
        assertInstanceOf(SocketTimeoutException.class, on(loop, read::failure));
    }
}
