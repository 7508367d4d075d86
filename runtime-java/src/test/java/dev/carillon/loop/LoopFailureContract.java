package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Errors on a loop's thread: whatever comes, whoever waits for an operation is told, once. */
abstract class LoopFailureContract extends LoopCase {
    private final AtomicReference<Throwable> ended = new AtomicReference<>();

    /** Runs a loop on a thread whose end by an error is kept instead of printed. */
    private Thread running(PollingLoop loop) {
        Thread thread = new Thread(() -> loop.run(RunMode.STOPPED), "failing-loop");
        thread.setUncaughtExceptionHandler((gone, error) -> ended.set(error));
        thread.start();
        awaitParked(loop);
        return thread;
    }

    private static void assertEnds(PollingLoop loop, Thread thread) {
        Deadline.after(LIMIT).await("the loop has ended", loop::isTerminated);
        LoopTaskContract.joinUninterruptibly(thread);
    }

    private Operation read(PollingLoop loop, Completion completion) {
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        Operation operation = Operation.of(completion);
        pair.get(1).readSome(ByteBuffer.allocate(1), operation);
        return operation;
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmWhileTheLoopEndsKeepsNobodyFromBeingTold() {
        PollingLoop loop = open();
        Thread thread = running(loop);
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            read(loop, done -> {
                if (told.incrementAndGet() == 2) {
                    throw new OutOfMemoryError("planted");
                }
            });
        }
        on(loop, () -> true);
        loop.close();
        assertEnds(loop, thread);
        assertEquals(5, told.get());
        assertMessage(ended.get(), "planted");
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmInACallbackEndsTheLoopAndTellsEverybody() {
        PollingLoop loop = open();
        Thread thread = running(loop);
        List<Throwable> told = new ArrayList<>();
        read(loop, done -> told.add(done.failure()));
        AtomicInteger tasks = new AtomicInteger();
        loop.execute(() -> {
            loop.execute(tasks::incrementAndGet);
            throw new OutOfMemoryError("planted");
        });
        assertEnds(loop, thread);
        assertEquals(1, told.size());
        assertInstanceOf(ClosedException.class, told.get(0));
        assertEquals(0, tasks.get());
    }

    // r[verify loop.errors]
    @Test
    void whatAnErrorHandlerThrowsEndsTheLoopIfItCannotBeLogged() {
        PollingLoop loop = open(options().errorHandler((on, error) -> {
            throw new AssertionError("planted", error);
        }));
        Thread thread = running(loop);
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        read(loop, done -> told.complete(done.failure()));
        loop.execute(() -> {
            throw new IllegalStateException("reported");
        });
        assertInstanceOf(ClosedException.class, get(told));
        assertEnds(loop, thread);
        assertMessage(ended.get(), "planted");
    }

    @Test
    void aLoopThatNobodyRunsIsEndedByItsCloserInSpiteOfErrors() {
        PollingLoop loop = open();
        AtomicInteger told = new AtomicInteger();
        List<Operation> reads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            reads.add(read(loop, done -> told.incrementAndGet()));
        }
        loop.register(() -> {
            throw new OutOfMemoryError("planted");
        });
        OutOfMemoryError failure = assertThrows(OutOfMemoryError.class, loop::close);
        assertMessage(failure, "planted");
        assertTrue(loop.isTerminated());
        assertEquals(3, told.get());
        assertTrue(reads.stream().noneMatch(Operation::isPending));
    }

    @Test
    void aConnectThatIsRefusedByAStoppingLoopLeavesNoDescriptor() {
        PollingLoop loop = open();
        loop.close();
        for (int i = 0; i < 10; i++) {
            assertThrows(
                    RejectedExecutionException.class,
                    () -> StreamSocket.connect(loop, localFour(), Duration.ofSeconds(1)));
        }
    }
}
