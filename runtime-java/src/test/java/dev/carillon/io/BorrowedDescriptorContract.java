package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Numbers that are not the loop's: their owner closes one while the loop still has something queued for it, and the
 * kernel gives the number to somebody else at once.
 */
abstract class BorrowedDescriptorContract extends LoopCase {
    private final Sys sys = Sys.get();

    /** The ends of a pipe that does not block: reading, writing. */
    private int[] pipe() {
        Fd[] ends = sys.descriptors().pipe(true);
        return new int[] {ends[0].acquire(), ends[1].acquire()};
    }

    private void close(int number) {
        Fd.owning(sys.libc(), number).close();
    }

    private void write(int number) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        assertEquals(1, sys.descriptors().write(number, sys.libc().addressOf(one), 1));
    }

    private void read(int number) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        assertEquals(1, sys.descriptors().read(number, sys.libc().addressOf(one), 1));
    }

    /** Whether a copy has got that number. The VM has files of its own open at any time, each for a moment. */
    private boolean takes(int original, int number) {
        int copy = sys.descriptors().duplicateFrom(original, number).acquire();
        if (copy != number) {
            close(copy);
        }
        return copy == number;
    }

    /**
     * Within one callback: another thread gives up what it has borrowed and closes the number, the loop takes the same
     * number over for a stranger who waits for bytes; only then does it come to what was given up.
     */
    private void reuse(EventLoop loop, int number, Runnable giveUp) {
        int[] other = pipe();
        CompletableFuture<Integer> bytes = new CompletableFuture<>();
        CountDownLatch givenUp = new CountDownLatch(1);
        Descriptor stranger = on(loop, () -> {
            Thread owner = new Thread(() -> {
                giveUp.run();
                close(number);
                givenUp.countDown();
            });
            owner.start();
            LoopCase.awaitUninterruptibly(givenUp);
            LoopCase.joinUninterruptibly(owner);
            Deadline.after(LIMIT).await("the number is free", () -> takes(other[0], number));
            Descriptor adopted = Descriptor.adopt(loop, number);
            adopted.readSome(
                    ByteBuffer.allocate(1),
                    Operation.of(done -> bytes.complete(done.failure() == null ? (int) done.result() : -100)));
            return adopted;
        });
        on(loop, () -> true);
        awaitParked(loop);
        write(other[1]);
        assertEquals(1, get(bytes));
        get(stranger.closeAsync());
        close(other[0]);
        close(other[1]);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify io.poll] r[verify io.stale-events]
    @Test
    void aNumberThatIsClosedAndReusedAfterACancelledWaitIsLeftToItsNewOwner() {
        EventLoop loop = started();
        int[] pipe = pipe();
        CompletableFuture<?> waiting = Descriptor.awaitReadable(loop, pipe[0]);
        on(loop, () -> true);
        reuse(loop, pipe[0], () -> waiting.cancel(false));
        close(pipe[1]);
    }

    // r[verify io.stale-events]
    @Test
    void aNumberThatIsClosedAndReusedAfterAClosedWatchIsLeftToItsNewOwner() {
        EventLoop loop = started();
        int[] pipe = pipe();
        Watch watch = loop.watch(pipe[0], () -> {});
        on(loop, () -> true);
        reuse(loop, pipe[0], watch::close);
        close(pipe[1]);
    }

    @Test
    void twoWatchesMayShareANumberAndAreForgottenWithTheirLoop() {
        EventLoop loop = started();
        int[] pipe = pipe();
        AtomicInteger calls = new AtomicInteger();
        loop.watch(pipe[0], calls::incrementAndGet);
        loop.watch(pipe[0], calls::incrementAndGet);
        on(loop, () -> true);
        write(pipe[1]);
        Deadline.after(LIMIT).await("both are called", () -> calls.get() == 2);
        loop.close();
        close(pipe[0]);
        close(pipe[1]);
    }

    /** A copy keeps the pipe in epoll, so that its events still come when the number is gone. */
    @Test
    void aNumberClosedBehindTheBackOfItsOwnerEndsNoLoop() {
        EventLoop loop = started();
        int[] pipe = pipe();
        int copy = sys.descriptors().duplicateFrom(pipe[0], 0).acquire();
        Descriptor adopted = Descriptor.adopt(loop, pipe[0]);
        CompletableFuture<Integer> first = adopted.readSomeAsync(ByteBuffer.allocate(1));
        on(loop, () -> true);
        write(pipe[1]);
        assertEquals(1, get(first));
        on(loop, () -> {
            close(pipe[0]);
            return true;
        });
        Deadline deadline = Deadline.after(LIMIT);
        long[] rounds = new long[1];
        while (errors.isEmpty()) {
            assertTrue(
                    !deadline.isOver(),
                    () -> "the loop has not noticed in " + rounds[0] + " rounds: " + loop.stats() + ", "
                            + adopted.target().registration);
            rounds[0]++;
            write(pipe[1]);
            // Between two tasks the loop polls; before that poll the byte must not be gone.
            on(loop, () -> true);
            on(loop, () -> true);
            read(copy);
        }
        // EBADF, or what the kernel says of a file that somebody has opened meanwhile and that has the number now.
        assertMessage(errors.peek(), "epoll_ctl failed: E");
        assertMessage(errors.peek(), adopted + ": its number was closed by somebody else");
        assertEquals("alive", on(loop, () -> "alive"));
        // Closing it would close a stranger's number; the loop's end does not need it.
        close(copy);
        close(pipe[1]);
    }
}
