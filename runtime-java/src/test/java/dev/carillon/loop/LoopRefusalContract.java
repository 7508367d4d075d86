package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.DatagramSocket;
import dev.carillon.io.Descriptor;
import dev.carillon.io.FileHandle;
import dev.carillon.io.Operation;
import dev.carillon.io.ServerSocket;
import dev.carillon.io.StreamSocket;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a loop does not take, and what it says then. */
abstract class LoopRefusalContract extends LoopCase {
    private static final Path NOTHING = Path.of("/dev/null");

    private List<Executable> openings(EventLoop loop, int number) {
        return List.of(
                () -> ServerSocket.bind(loop, localFour()),
                () -> DatagramSocket.bind(loop, localFour()),
                () -> DatagramSocket.connect(loop, localFour()),
                () -> StreamSocket.pair(loop),
                () -> StreamSocket.connect(loop, localFour()),
                () -> Descriptor.adopt(loop, number),
                () -> FileHandle.open(loop, NOTHING),
                () -> FileHandle.open(loop, NOTHING, Set.of(), Operation.of(done -> {})));
    }

    private void assertRefused(EventLoop loop, String why) {
        Fd[] pipe = Sys.get().descriptors().pipe(false);
        try {
            int number = pipe[0].acquire();
            for (Executable opening : openings(loop, number)) {
                int before = Descriptors.count();
                assertMessage(assertThrows(RejectedExecutionException.class, opening), why);
                Deadline.after(LIMIT).await("nothing is left open", () -> Descriptors.count() <= before);
            }
            assertFalse(Sys.get().descriptors().isNonBlocking(number), "it is its owner's, as it was");
            assertTrue(pipe[0].isOpen());
            pipe[0].release();
        } finally {
            pipe[0].close();
            pipe[1].close();
        }
    }

    // r[verify io.closed-loop]
    @Test
    void nothingIsOpenedOnAClosedLoop() {
        EventLoop ran = started();
        ran.close();
        assertRefused(ran, "has ended and takes no new work");
        EventLoop neverRan = open();
        neverRan.close();
        assertRefused(neverRan, "has ended and takes no new work");
    }

    // r[verify io.closed-loop]
    @Test
    void nothingIsOpenedOnALoopThatIsAskedToStopButOnItsThread() {
        EventLoop loop = open();
        loop.requestStop();
        assertRefused(loop, "is stopping and takes no new work");
        EventLoop drained = open();
        drained.execute(() -> {
            drained.requestStop();
            StreamSocket.pair(drained).forEach(StreamSocket::close);
        });
        drained.run(RunMode.DRAINED);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    /** Another thread's calls: those of the loop's own go past the queue. */
    private static <T> T elsewhere(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread other = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        other.start();
        LoopCase.joinUninterruptibly(other);
        return get(result);
    }

    private static boolean isTaken(EventLoop loop, AtomicInteger ran) {
        return elsewhere(() -> {
            try {
                loop.execute(ran::incrementAndGet);
                return true;
            } catch (RejectedExecutionException full) {
                assertMessage(full, "backlog=200; post again when some are done, or post less");
                return false;
            }
        });
    }

    // r[verify loop.backlog]
    @Test
    void tasksAreTakenUpToTheBoundAndNotOneBeyond() {
        EventLoop loop = open(options().backlog(200));
        loop.runUntilEmpty();
        AtomicInteger ran = new AtomicInteger();
        for (int round = 1; round <= 20; round++) {
            for (int i = 1; i <= 199; i++) {
                assertTrue(isTaken(loop, ran));
            }
            assertTrue(isTaken(loop, ran), "the last place");
            assertFalse(isTaken(loop, ran), "one beyond");
            assertFalse(isTaken(loop, ran), "and it stays so");
            assertEquals(1, loop.runOne());
            assertTrue(isTaken(loop, ran), "a place is free again");
            assertFalse(isTaken(loop, ran));
            loop.runUntilEmpty();
            assertEquals(201 * round, ran.get());
        }
    }

    // r[verify loop.backlog]
    @Test
    void timersCancelsClosesAndTheLoopsOwnTasksAreTakenWhenTheLoopIsFull() {
        EventLoop loop = open(options().backlog(1));
        List<StreamSocket> pair = StreamSocket.pair(loop);
        loop.runUntilEmpty();
        List<Throwable> ends = new ArrayList<>();
        Operation read = Operation.of(done -> ends.add(Objects.requireNonNull(done.failure())));
        pair.get(0).readSome(ByteBuffer.allocate(1), read);
        loop.runUntilEmpty();
        AtomicInteger ran = new AtomicInteger();
        List<String> refused = elsewhere(() -> {
            List<String> messages = new ArrayList<>();
            loop.execute(ran::incrementAndGet);
            Operation other = Operation.of(done -> {});
            messages.add(String.valueOf(assertThrows(
                            RejectedExecutionException.class, () -> pair.get(1).readSome(ByteBuffer.allocate(1), other))
                    .getMessage()));
            assertFalse(other.isPending(), "it can be started again");
            loop.schedule(Duration.ZERO, ran::incrementAndGet);
            read.cancel();
            pair.forEach(StreamSocket::close);
            return messages;
        });
        assertTrue(refused.get(0).contains("1 tasks and operations that wait, and backlog=1"), refused::toString);
        loop.execute(ran::incrementAndGet);
        loop.execute(ran::incrementAndGet);
        loop.runUntilEmpty();
        assertEquals(4, ran.get());
        assertEquals(1, ends.size());
        assertTrue(pair.stream().noneMatch(StreamSocket::isOpen));
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify loop.backlog]
    @Test
    void severalThreadsThatPostAtOnceComeOneBeyondTheBoundEachAtMost() {
        EventLoop loop = open(options().backlog(200));
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        List<Thread> posters = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            Thread poster = new Thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    try {
                        loop.execute(ran::incrementAndGet);
                        taken.incrementAndGet();
                    } catch (RejectedExecutionException full) {
                        Thread.onSpinWait();
                    }
                }
            });
            posters.add(poster);
            poster.start();
        }
        posters.forEach(LoopTaskContract::joinUninterruptibly);
        assertTrue(taken.get() >= 200 && taken.get() < 200 + 4, taken::toString);
        loop.runUntilEmpty();
        assertEquals(taken.get(), ran.get());
    }

    @Test
    void aBoundOfNothingIsRefused() {
        assertMessage(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> options().backlog(0).build()),
                "backlog=0: at least 1");
        EventLoopOptions bounded = options().backlog(7).build();
        assertEquals(7, bounded.toBuilder().build().backlog());
        assertEquals(EventLoopOptions.UNBOUNDED, EventLoopOptions.defaults().backlog());
    }
}
