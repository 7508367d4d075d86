package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.RunMode;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waits that begin in the callback of a wait, with much pending and a small stack; injected signals, so no native part. */
// r[verify signal.depth]
final class SignalDepthTest extends SignalCase {
    private static final int PENDING = 100_000;
    private static final long STACK = 256 << 10;

    private final EventLoop loop = EventLoop.open(EventLoopOptions.builder()
            .errorHandler((failed, error) -> errors.add(error))
            .build());
    private final Thread runner = new Thread(null, () -> loop.run(RunMode.STOPPED), "small-stack", STACK);
    private final AtomicInteger got = new AtomicInteger();

    SignalDepthTest() {
        super(CaptureKind.AUTO);
    }

    @BeforeEach
    void run() {
        runner.start();
        assertEquals(true, on(loop, () -> true));
    }

    @AfterEach
    void end() throws InterruptedException {
        loop.close();
        runner.join(LIMIT.toMillis());
        assertEquals(List.of(), List.copyOf(errors));
    }

    private SignalService service(int pending) {
        SignalService service = attach(loop, SignalOptions.builder().pendingStandard(PENDING), URG);
        on(loop, () -> {
            IntStream.range(0, pending).forEach(i -> service.inject(numbered(URG, i)));
            return true;
        });
        assertEquals(pending, service.stats().pending());
        return service;
    }

    private void awaitGot(SignalService service, int number) {
        Deadline.after(LIMIT).await(number + " were delivered", () -> got.get() == number);
        assertEquals(0, service.stats().pending());
    }

    /** A waiter that starts the next one, and looks whether the signals come in their order. */
    private final class Again extends SignalWaiter {
        private final SignalService service;

        Again(SignalService service) {
            super(SignalSet.of(URG));
            this.service = service;
        }

        @Override
        protected void onSignal(SignalInfo info) {
            assertEquals(got.getAndIncrement(), info.value());
            service.start(new Again(service));
        }

        @Override
        protected void onFailure(RuntimeException cause) {}
    }

    @Test
    void aWaiterThatWaitsAgainInItsCallbackGetsAllThatIsPending() {
        SignalService service = service(PENDING);
        service.start(new Again(service));
        awaitGot(service, PENDING);
        service.inject(numbered(URG, PENDING));
        awaitGot(service, PENDING + 1);
    }

    @Test
    void aFutureWhoseContinuationWaitsAgainGetsAllThatIsPending() {
        SignalService service = service(PENDING);
        loop.execute(() -> awaitAgain(service));
        awaitGot(service, PENDING);
        service.inject(numbered(URG, PENDING));
        awaitGot(service, PENDING + 1);
    }

    private void awaitAgain(SignalService service) {
        CompletableFuture<Void> unused = service.await(URG).thenAccept(info -> {
            got.incrementAndGet();
            awaitAgain(service);
        });
    }

    @Test
    void aTimedFutureWhoseContinuationWaitsAgainGetsAllThatIsPending() {
        SignalService service = service(PENDING);
        loop.execute(() -> awaitAgainUntilNothingComes(service));
        awaitGot(service, PENDING);
    }

    private void awaitAgainUntilNothingComes(SignalService service) {
        CompletableFuture<Void> unused = service.await(URG, Duration.ZERO).thenAccept(info -> {
            if (info.isPresent()) {
                got.incrementAndGet();
                awaitAgainUntilNothingComes(service);
            }
        });
    }

    @Test
    void aWaiterThatWaitsAgainWhenItsTimeIsOverDoesSoAsOftenAsItLikes() {
        SignalService service = service(0);
        CompletableFuture<Boolean> isDone = new CompletableFuture<>();
        service.start(new TimesOut(service, isDone), Duration.ZERO);
        assertTrue(get(isDone));
    }

    private final class TimesOut extends SignalWaiter {
        private final SignalService service;
        private final CompletableFuture<Boolean> isDone;

        TimesOut(SignalService service, CompletableFuture<Boolean> isDone) {
            super(URG);
            this.service = service;
            this.isDone = isDone;
        }

        @Override
        protected void onSignal(SignalInfo info) {}

        @Override
        protected void onTimeout() {
            if (got.incrementAndGet() < PENDING) {
                service.start(new TimesOut(service, isDone), Duration.ZERO);
            } else {
                isDone.complete(true);
            }
        }

        @Override
        protected void onFailure(RuntimeException cause) {}
    }

    @Test
    void aRecordThatIsGivenBackInTheCallbackGoesToTheWaitThatBeginsThere() {
        SignalService service = service(PENDING / 10);
        service.start(new GivesBack(service, false));
        awaitGot(service, PENDING / 10);
    }

    /** Gives each record back once, and waits again for it before it has returned. */
    private final class GivesBack extends SignalWaiter {
        private final SignalService service;
        private final boolean takes;

        GivesBack(SignalService service, boolean takes) {
            super(URG);
            this.service = service;
            this.takes = takes;
        }

        @Override
        protected void onSignal(SignalInfo info) {
            if (takes) {
                assertEquals(got.getAndIncrement(), info.value());
            } else {
                giveBack();
            }
            service.start(new GivesBack(service, !takes));
        }

        @Override
        protected void onFailure(RuntimeException cause) {}
    }

    @Test
    void otherWorkOfTheLoopGetsItsTurnMeanwhile() {
        SignalService service = service(PENDING);
        AtomicInteger most = new AtomicInteger();
        loop.execute(() -> {
            takeTurns(0, most);
            service.start(new Again(service));
        });
        awaitGot(service, PENDING);
        assertEquals(512, on(loop, most::get), "so many are called between two turns of others");
    }

    private void takeTurns(int last, AtomicInteger most) {
        int now = got.get();
        most.accumulateAndGet(now - last, Math::max);
        if (now < PENDING) {
            loop.execute(() -> takeTurns(now, most));
        }
    }

    @Test
    void oneThatThrowsInBetweenHoldsUpNoOther() {
        SignalService service = service(0);
        List<TestWaiter> waiters = on(loop, () -> {
            List<TestWaiter> started = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                service.start(named(URG, "throws", new ArrayList<>(), () -> {
                    throw new IllegalStateException("thrown by a waiter");
                }));
                started.add(new TestWaiter(SignalSet.of(URG)));
                service.start(started.get(i));
                service.inject(numbered(URG, 1));
            }
            return started;
        });
        Deadline.after(LIMIT)
                .await(
                        "all were called",
                        () -> on(loop, () -> waiters.stream().allMatch(waiter -> waiter.got.size() == 1)));
        assertEquals(1_000, errors.size());
        errors.clear();
    }

    @Test
    void whoBeganToWaitFirstIsCalledFirstAlsoIfItBeganInACallback() {
        SignalService service = service(0);
        List<String> order = on(loop, () -> {
            List<String> called = new ArrayList<>();
            service.start(named(URG, "outer", called, () -> {
                service.inject(numbered(URG, 2));
                service.inject(numbered(URG, 3));
                service.start(named(URG, "first", called, () -> {}));
                service.start(named(URG, "second", called, () -> {}));
            }));
            service.inject(numbered(URG, 1));
            return called;
        });
        Deadline.after(LIMIT)
                .await(
                        "all three were called",
                        () -> on(loop, () -> List.copyOf(order)).size() == 3);
        assertEquals(List.of("outer", "first", "second"), on(loop, () -> List.copyOf(order)));
    }

    @Test
    void whoFindsItsSignalThereIsCalledAfterThoseWhoHaveTheirsAlready() {
        SignalService service = service(0);
        List<String> order = on(loop, () -> {
            List<String> called = new ArrayList<>();
            service.start(named(URG, "waited", called, () -> {}));
            service.inject(numbered(URG, 1));
            service.inject(numbered(URG, 2));
            service.start(named(URG, "found", called, () -> {}));
            return called;
        });
        Deadline.after(LIMIT)
                .await(
                        "both were called",
                        () -> on(loop, () -> List.copyOf(order)).size() == 2);
        assertEquals(List.of("waited", "found"), on(loop, () -> List.copyOf(order)));
    }

    private static SignalWaiter named(Signal signal, String name, List<String> called, Runnable action) {
        return new SignalWaiter(signal) {
            @Override
            protected void onSignal(SignalInfo info) {
                called.add(name);
                action.run();
            }

            @Override
            protected void onFailure(RuntimeException cause) {
                called.add(name + " failed");
            }
        };
    }

    @Test
    void aCallbackMayReleaseItsSignalAndCloseItsService() {
        SignalService service = attach(loop, URG, WINCH);
        TestWaiter released = new TestWaiter(SignalSet.of(URG));
        TestWaiter closed = new TestWaiter(SignalSet.of(WINCH));
        List<String> called = on(loop, () -> {
            List<String> names = new ArrayList<>();
            service.start(named(URG, "releases", names, () -> service.release(URG)));
            service.start(released);
            return names;
        });
        service.inject(numbered(URG, 1));
        Deadline.after(LIMIT).await("the release was told", () -> released.failure instanceof ClosedException);
        service.start(named(WINCH, "closes", called, service::close));
        service.start(closed);
        service.inject(numbered(WINCH, 1));
        Deadline.after(LIMIT).await("the end was told", () -> closed.failure instanceof ClosedException);
        assertEquals(List.of("releases", "closes"), on(loop, () -> List.copyOf(called)));
        assertTrue(service.isClosed());
    }
}
