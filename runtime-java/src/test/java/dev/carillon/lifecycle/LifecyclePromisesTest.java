package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** On which threads the code of a program runs, what the deadline cuts, and a start that is tried again. */
final class LifecyclePromisesTest extends LifecycleCase {
    private static final Duration SHORT = Duration.ofMillis(50);

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private void look(String who) {
        seen.add(who + (EventLoop.currentOrNull() == null ? " on no loop" : " on a loop"));
    }

    private static void hangUntilInterrupted() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    // r[verify life.shutdown] r[verify life.cancellation]
    @Test
    void anExecutorThatIsNotDoneAtTheDeadlineIsCutAndNothingAfterItBegins() throws InterruptedException {
        List<Integer> skipped = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ExecutorService work = Executors.newSingleThreadExecutor();
            try (Lifecycle hasty = builder()
                    .timeout(SHORT)
                    .telemetry((event, tags) -> {
                        if (event.equals(Telemetry.SHUTDOWN)) {
                            skipped.add(Integer.valueOf(tags.get("skipped")));
                        }
                    })
                    .build()) {
                hasty.onDrain("work", work);
                hasty.onShutdown("after", () -> did.add("after"));
                hasty.start();
                work.execute(
                        () -> assertThrows(InterruptedException.class, LifecyclePromisesTest::hangUntilInterrupted));
                inject(hasty, Signal.SIGTERM);
            }
            // Where the time was over before the drain began, nobody has ended it.
            work.shutdownNow();
            assertTrue(work.awaitTermination(60, TimeUnit.SECONDS));
        }
        // More than these two, where the machine is so slow that the time is over before the drain begins.
        assertEquals(8, skipped.stream().filter(count -> count >= 2).count(), skipped::toString);
        assertEquals(List.of(), did);
    }

    /** As one that waits for {@link Lifecycle#timeLeft}, and gives up then. */
    // r[verify life.shutdown]
    @Test
    void afterAStepThatHasUsedAllTheTimeNoneBegins() {
        for (int i = 0; i < 8; i++) {
            try (Lifecycle hasty = builder().timeout(SHORT).build()) {
                hasty.onShutdown("after", () -> did.add("after"));
                hasty.onDrain("uses all", () -> {
                    while (!hasty.timeLeft().isZero()) {
                        Thread.onSpinWait();
                    }
                });
                hasty.start();
                assertEquals(OptionalInt.of(143), inject(hasty, Signal.SIGTERM).exitCode());
            }
        }
        assertEquals(List.of(), did);
    }

    // r[verify life.cancellation]
    @Test
    void whoWaitsForTheShutdownHearsOfItWhileAHandlerHangs() {
        CompletableFuture<Boolean> toldInTime = new CompletableFuture<>();
        lifecycle.handle(
                Signal.SIGTERM,
                info -> toldInTime.complete(
                        Futures.get(lifecycle.shutdownBegun().handle((told, failure) -> true))));
        CompletableFuture<Void> told = lifecycle.shutdownBegun().thenRun(() -> look("told"));
        lifecycle.start();
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertTrue(toldInTime.isDone() && !toldInTime.isCompletedExceptionally());
        Futures.get(told);
        assertEquals(List.of("told on no loop"), List.copyOf(seen));
    }

    // r[verify life.cancellation]
    @Test
    void whatWaitsForTheShutdownHoldsUpTheStepsUntilItIsCutAndNoHandler() {
        int attempts = 0;
        // On a busy machine the time may be over before those who wait are told.
        while (!isToldInTime() && attempts < 100) {
            attempts++;
        }
        assertTrue(did.contains("interrupted"), did::toString);
        assertTrue(!did.contains("after"), did::toString);
    }

    private boolean isToldInTime() {
        AtomicBoolean wasInTime = new AtomicBoolean();
        try (Lifecycle hasty = builder().timeout(SHORT).build()) {
            hasty.handle(Signal.SIGTERM, info -> did.add("handler"));
            hasty.onShutdown("after", () -> did.add("after"));
            CompletableFuture<Void> hangs = hasty.shutdownBegun().thenRun(() -> {
                if (hasty.timeLeft().isZero()) {
                    return;
                }
                wasInTime.set(true);
                try {
                    hangUntilInterrupted();
                } catch (InterruptedException cut) {
                    did.add("interrupted");
                }
            });
            hasty.start();
            assertEquals(OptionalInt.of(143), inject(hasty, Signal.SIGTERM).exitCode());
            Futures.get(hangs);
        }
        return wasInTime.get();
    }

    // r[verify life.own-loop]
    @Test
    void noCodeOfTheProgramRunsOnTheLoopWhateverItsExecutorDoes() throws InterruptedException {
        try (Lifecycle direct = builder()
                .handlerExecutor(Runnable::run)
                .telemetry((event, tags) -> look("telemetry"))
                .build()) {
            direct.handle(Signal.SIGUSR1, info -> look("handler"));
            direct.start();
            Futures.get(direct.injectForTest(Signal.SIGUSR1));
            CountDownLatch goOn = new CountDownLatch(1);
            direct.onShutdown("waits", () -> assertTrue(goOn.await(60, TimeUnit.SECONDS)));
            CompletableFuture<SignalOutcome> outcome = direct.injectForTest(Signal.SIGTERM);
            CompletableFuture<Void> depends = outcome.thenRun(() -> look("test"));
            goOn.countDown();
            Futures.get(depends);
        }
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(String.valueOf(seen.poll(60, TimeUnit.SECONDS)));
        }
        assertTrue(all.stream().allMatch(who -> who.endsWith("on no loop")), all::toString);
    }

    // r[verify life.start]
    @Test
    void aStartThatWasRefusedCanBeTriedAgain() {
        lifecycle.onShutdown("one", () -> did.add("1"));
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGTERM))) {
            for (int i = 0; i < 2; i++) {
                IllegalStateException refused = assertThrows(IllegalStateException.class, lifecycle::start);
                assertTrue(refused.toString().contains(service.toString()), refused::toString);
                assertNull(Lifecycle.active());
            }
        }
        lifecycle.start();
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(List.of("1"), did);
    }
}
