package dev.carillon.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.BackendKind;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A loop as a ScheduledExecutorService: its contract, and what only a loop does. */
// r[verify timer.executor]
abstract class LoopExecutorContract extends ScheduledExecutorContract {
    private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private EventLoop loop;
    private ScheduledExecutorService view;

    protected abstract BackendKind backend();

    @BeforeEach
    void openALoop() {
        Assumptions.assumeTrue(
                backend().availability().isAvailable(),
                () -> backend().availability().toString());
        EventLoopOptions.Builder options =
                EventLoopOptions.builder().backend(backend()).errorHandler((on, error) -> errors.add(error));
        loop = EventLoop.open(options.build()).start();
        view = LoopExecutors.scheduled(loop);
    }

    @AfterEach
    void closeTheLoop() {
        loop.close();
    }

    @Override
    protected ScheduledExecutorService executor() {
        return view;
    }

    @Test
    void waitsOnALoopThreadAreRefusedWithAdvice() throws Exception {
        ScheduledFuture<?> later = view.schedule(() -> {}, 1, TimeUnit.HOURS);
        Future<?> posted = LoopCase.on(loop, () -> view.submit(() -> {}));
        assertNull(get(posted));
        List<Executable> waits = List.of(
                later::get,
                () -> later.get(1, TimeUnit.SECONDS),
                () -> view.invokeAll(List.of(() -> 1)),
                () -> view.invokeAll(List.of(() -> 1), 1, TimeUnit.SECONDS),
                () -> view.invokeAny(List.of(() -> 1)),
                () -> view.invokeAny(List.of(() -> 1), 1, TimeUnit.SECONDS),
                () -> view.awaitTermination(1, TimeUnit.SECONDS));
        for (Executable wait : waits) {
            LoopCase.assertMessage(
                    LoopCase.on(loop, () -> assertThrows(IllegalStateException.class, wait)), "wait on another thread");
        }
        later.cancel(false);
        LoopCase.on(loop, () -> assertThrows(CancellationException.class, later::get));
    }

    // r[verify timer.executor-end]
    @Test
    void aShutdownLeavesTheLoopAndOtherViewsAlone() throws Exception {
        ScheduledExecutorService other = LoopExecutors.scheduled(loop);
        ScheduledFuture<String> theirs = other.schedule(() -> "ran", 10, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> ours = view.schedule(() -> {}, 1, TimeUnit.HOURS);
        assertEquals(List.of(ours), view.shutdownNow());
        assertTrue(ours.isCancelled(), "nobody waits for it in vain");
        assertTrue(view.awaitTermination(0, TimeUnit.SECONDS));
        assertEquals("ran", get(theirs));
        assertEquals("alive", LoopCase.on(loop, () -> "alive"));
        other.shutdown();
        assertTrue(other.isTerminated());
    }

    // r[verify timer.executor-end]
    @Test
    void theEndOfTheLoopEndsTheView() throws Exception {
        ScheduledFuture<?> later = view.schedule(() -> {}, 1, TimeUnit.HOURS);
        ScheduledFuture<?> rate = view.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
        CountDownLatch goOn = new CountDownLatch(1);
        view.execute(() -> LoopCase.awaitUninterruptibly(goOn));
        Future<String> posted = view.submit(() -> "ran");
        loop.requestStop();
        assertThrows(RejectedExecutionException.class, () -> view.execute(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> view.schedule(() -> {}, 0, TimeUnit.SECONDS));
        goOn.countDown();
        loop.close();
        assertEquals("ran", get(posted));
        assertThrows(CancellationException.class, () -> get(later));
        assertThrows(CancellationException.class, () -> get(rate));
        assertTrue(view.isShutdown());
        assertTrue(view.awaitTermination(0, TimeUnit.SECONDS));
        assertThrows(RejectedExecutionException.class, () -> view.submit(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> LoopExecutors.scheduled(loop));
    }

    @Test
    void aCancelDoesNotInterruptTheLoop() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        ScheduledFuture<?> running = view.schedule(
                () -> {
                    begun.countDown();
                    while (goOn.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    interrupted.addAndGet(Thread.interrupted() ? 1 : 0);
                },
                0,
                TimeUnit.SECONDS);
        assertTrue(begun.await(SECONDS, TimeUnit.SECONDS));
        assertTrue(running.cancel(true));
        goOn.countDown();
        assertFalse(LoopCase.on(loop, Thread::interrupted));
        assertEquals(0, interrupted.get());
    }

    @Test
    void cancelledTimersDoNotPileUp() {
        for (int i = 0; i < 50_000; i++) {
            view.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false);
        }
        Deadline.after(LIMIT)
                .await("hardly any timer is held", () -> loop.stats().pendingTimers() < 4_000);
        view.shutdown();
        assertTrue(view.isTerminated());
    }

    @Test
    void whatExecuteThrowsGoesToTheErrorHandler() {
        view.execute(() -> {
            throw new IllegalStateException("thrown");
        });
        LoopCase.on(loop, () -> null);
        assertEquals(
                List.of("thrown"), errors.stream().map(Throwable::getMessage).toList());
        view.shutdown();
        assertTrue(view.isTerminated());
    }

    @Test
    void aShutdownWithinATaskIsOverWhenTheTaskIs() throws Exception {
        Future<Boolean> ended = view.submit(() -> {
            view.shutdown();
            return view.isTerminated();
        });
        assertFalse(get(ended));
        assertTrue(view.awaitTermination(SECONDS, TimeUnit.SECONDS));
    }
}
