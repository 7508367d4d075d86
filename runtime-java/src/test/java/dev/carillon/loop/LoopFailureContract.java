package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.io.Completion;
import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Errors on a loop's thread: whatever comes, whoever waits for an operation is told, once. */
abstract class LoopFailureContract extends LoopCase {
    private final AtomicReference<Throwable> ended = new AtomicReference<>();

    /** Runs a loop on a thread whose end by an error is kept instead of printed. */
    private Thread running(EventLoop loop) {
        Thread thread = new Thread(() -> loop.run(RunMode.STOPPED), "failing-loop");
        thread.setUncaughtExceptionHandler((gone, error) -> ended.set(error));
        thread.start();
        awaitParked(loop);
        return thread;
    }

    private static void assertEnds(EventLoop loop, Thread thread) {
        Deadline.after(LIMIT).await("the loop has ended", loop::isTerminated);
        LoopCase.joinUninterruptibly(thread);
    }

    private Operation read(EventLoop loop, Completion completion) {
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        Operation operation = Operation.of(completion);
        pair.get(1).readSome(ByteBuffer.allocate(1), operation);
        return operation;
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmWhileTheLoopEndsKeepsNobodyFromBeingTold() {
        EventLoop loop = open();
        Thread thread = running(loop);
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            read(loop, done -> {
                if (told.incrementAndGet() == 2) {
                    throw new InternalError("planted");
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
    void aLackOfMemoryIsTheCallbacksAndNotTheLoops() {
        EventLoop loop = started();
        for (Error planted : List.of(new OutOfMemoryError("planted"), new StackOverflowError("planted"))) {
            CompletableFuture<String> told = new CompletableFuture<>();
            read(loop, done -> told.complete("alive"));
            loop.execute(() -> {
                throw planted;
            });
            assertEquals("alive", on(loop, () -> "alive"));
            assertFalse(told.isDone(), "the read still waits");
        }
        assertEquals(2, errors.size());
    }

    /** The clock stands for all that the loop itself needs between callbacks, when it runs them and when it polls. */
    // r[verify loop.errors]
    @Test
    void aLackOfMemoryOfTheLoopItselfIsWaitedOut() {
        AtomicInteger lacks = new AtomicInteger();
        EventLoop loop = open(options().clock(() -> {
            if (lacks.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("planted in the clock");
            }
            return System.nanoTime();
        }));
        loop.start();
        CompletableFuture<String> fired = new CompletableFuture<>();
        on(loop, () -> {
            loop.schedule(Duration.ofMillis(5), () -> fired.complete("fired"));
            // Now the loop looks at its clock before the timer, however long either takes.
            lacks.set(6);
            return true;
        });
        assertEquals("fired", get(fired));
        assertEquals(6, errors.size(), errors::toString);
        assertEquals("alive", on(loop, () -> "alive"));
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmThatEndsTheLoopRunsOrTellsAllThatWasAccepted() {
        EventLoop loop = open();
        Thread thread = running(loop);
        List<Throwable> told = new ArrayList<>();
        read(loop, done -> told.add(done.failure()));
        AtomicInteger tasks = new AtomicInteger();
        CompletableFuture<Integer> future = new CompletableFuture<>();
        loop.execute(() -> {
            loop.execute(tasks::incrementAndGet);
            future.completeAsync(() -> 7, loop);
            throw new InternalError("planted");
        });
        assertEnds(loop, thread);
        assertEquals(1, told.size());
        assertInstanceOf(ClosedException.class, told.get(0));
        assertEquals(1, tasks.get());
        assertEquals(7, get(future));
        assertMessage(ended.get(), "planted");
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmThatEndsTheLoopIsToldToItsHandlerOnce() {
        EventLoop loop = open();
        Thread thread = running(loop);
        Error first = new InternalError("planted");
        Error second = new InternalError("planted at its end");
        loop.register(() -> loop.execute(() -> {
            throw second;
        }));
        loop.execute(() -> {
            throw first;
        });
        assertEnds(loop, thread);
        assertEquals(List.of(first, second), List.copyOf(errors));
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheLoopItselfIsToldToItsHandlerWhenTheLoopIsStopping() {
        RuntimeException planted = new IllegalStateException("planted");
        AtomicBoolean isBroken = new AtomicBoolean();
        List<String> told = new CopyOnWriteArrayList<>();
        EventLoop loop = open(options()
                .clock(() -> {
                    if (isBroken.get()) {
                        throw planted;
                    }
                    return System.nanoTime();
                })
                .errorHandler((on, error) -> told.add(error.getMessage() + ", stopping=" + on.isStopping())));
        Thread thread = running(loop);
        loop.execute(() -> {
            loop.schedule(Duration.ofHours(1), () -> {});
            isBroken.set(true);
        });
        assertEnds(loop, thread);
        assertEquals(List.of("planted, stopping=true"), told);
        assertEquals(planted, ended.get());
    }

    // r[verify loop.errors]
    @Test
    void whatAStageOfAFutureThrowsStaysWithItsStages() {
        EventLoop loop = started();
        CompletableFuture<Integer> future = loop.newFuture();
        CompletableFuture<Integer> stage = future.thenApply(value -> {
            throw new InternalError("planted");
        });
        loop.execute(() -> future.complete(7));
        assertMessage(failureOf(stage), "planted");
        assertEquals("alive", on(loop, () -> "alive"));
        assertEquals(0, errors.size());
    }

    // r[verify loop.report]
    @Test
    void nothingThatAnErrorHandlerThrowsEndsTheLoop() {
        List<Error> thrown = List.of(
                new AssertionError("planted"),
                new OutOfMemoryError("planted"),
                new NoClassDefFoundError("planted"),
                new InternalError("planted"));
        EventLoop loop = open(options().errorHandler((on, error) -> {
            throw thrown.get(Integer.parseInt(String.valueOf(error.getMessage())));
        }));
        loop.start();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        read(loop, done -> told.complete(done.failure()));
        for (int i = 0; i < thrown.size(); i++) {
            String number = Integer.toString(i);
            loop.execute(() -> {
                throw new IllegalStateException(number);
            });
            assertEquals("alive", on(loop, () -> "alive"));
        }
        assertFalse(told.isDone());
    }

    // r[verify loop.errors]
    @Test
    void aThreadThatCannotRunItsLoopEndsItAndTellsEverybody() {
        EventLoop loop = open(options().blockedAfter(Duration.ofSeconds(1)));
        CompletableFuture<Integer> future = CompletableFuture.supplyAsync(() -> 7, loop);
        AtomicInteger told = new AtomicInteger();
        read(loop, done -> told.incrementAndGet());
        loop.parts.thread.bind(Thread.currentThread());
        // As the thread of start() does when its run method could not begin.
        loop.parts.ending.giveUp();
        assertTrue(loop.isTerminated());
        assertEquals(7, get(future));
        assertEquals(1, told.get());
    }

    // r[verify loop.errors]
    @Test
    void aLoopThatNobodyRunsIsEndedByItsCloserInSpiteOfErrors() {
        EventLoop loop = open();
        AtomicInteger told = new AtomicInteger();
        List<Operation> reads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            reads.add(read(loop, done -> told.incrementAndGet()));
        }
        loop.register(() -> told.incrementAndGet());
        loop.register(() -> {
            throw new OutOfMemoryError("planted");
        });
        loop.register(() -> {
            throw new NoClassDefFoundError("planted");
        });
        loop.close();
        assertTrue(loop.isTerminated());
        assertEquals(4, told.get());
        assertEquals(2, errors.size());
        assertTrue(reads.stream().noneMatch(Operation::isPending));
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmWhileACloserEndsALoopIsThrownToTheCloser() {
        EventLoop loop = open();
        AtomicInteger told = new AtomicInteger();
        loop.execute(() -> {
            throw new InternalError("planted");
        });
        loop.execute(told::incrementAndGet);
        assertMessage(assertThrows(InternalError.class, loop::close), "planted");
        assertTrue(loop.isTerminated());
        assertEquals(1, told.get());
    }

    @Test
    void aConnectThatIsRefusedByAStoppingLoopLeavesNoDescriptor() {
        EventLoop loop = open();
        loop.close();
        int before = Descriptors.count();
        for (int i = 0; i < 10; i++) {
            assertThrows(
                    RejectedExecutionException.class,
                    () -> StreamSocket.connect(loop, localFour(), Duration.ofSeconds(1)));
        }
        Deadline.after(LIMIT).await("nothing is left open", () -> Descriptors.count() <= before);
    }
}
