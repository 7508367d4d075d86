package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.signal.Signals;
import dev.carillon.test.Futures;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a lifecycle decides; in one process, with an exit that is taken down. */
final class LifecycleTest extends LifecycleCase {
    // r[verify life.shutdown] r[verify life.inject]
    @Test
    void aShutdownStopsAcceptingDrainsAndCleansUpTheNewestFirst() {
        lifecycle.onShutdown("one", () -> did.add("1"));
        lifecycle.onDrain("drain", () -> did.add("drain"));
        lifecycle.onShutdown("two", () -> did.add("2"));
        lifecycle.onStopAccepting("stop", () -> did.add("stop"));
        lifecycle.onShutdown("three", () -> did.add("3"));
        lifecycle.handle(Signal.SIGTERM, info -> did.add("handler " + info.signal()));
        lifecycle.start();
        assertEquals(
                new SignalOutcome(Signal.SIGTERM, 1, OptionalInt.of(143), false), inject(lifecycle, Signal.SIGTERM));
        assertEquals(List.of("handler SIGTERM", "stop", "drain", "3", "2", "1"), did);
        assertTrue(exits.calls.isEmpty(), exits.calls::toString);
    }

    @Test
    void aHookThatThrowsStopsNoOther() {
        lifecycle.onShutdown("one", () -> did.add("1"));
        lifecycle.onShutdown("two", () -> {
            throw new AssertionError("two is broken, as it should be in this test");
        });
        lifecycle.onShutdown("three", () -> did.add("3"));
        lifecycle.start();
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(List.of("3", "1"), did);
    }

    @Test
    void itRunsOnceHoweverManySignalsCome() throws InterruptedException {
        CountDownLatch isRunning = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lifecycle.onShutdown("slow", () -> {
            did.add("slow");
            isRunning.countDown();
            assertTrue(goOn.await(60, TimeUnit.SECONDS));
        });
        lifecycle.start();
        assertFalse(lifecycle.isShuttingDown());
        CompletableFuture<SignalOutcome> first = lifecycle.injectForTest(Signal.SIGTERM);
        assertTrue(isRunning.await(60, TimeUnit.SECONDS));
        assertTrue(lifecycle.isShuttingDown());
        assertTrue(lifecycle.timeLeft().compareTo(Duration.ZERO) > 0);
        assertEquals(OptionalInt.empty(), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(OptionalInt.empty(), inject(lifecycle, Signal.SIGHUP).exitCode());
        assertThrows(IllegalStateException.class, () -> lifecycle.onShutdown("late", () -> {}));
        goOn.countDown();
        assertEquals(OptionalInt.of(143), Futures.get(first).exitCode());
        assertEquals(List.of("slow"), did);
    }

    @Test
    void whatDoesNotEndInTimeIsSkippedAndTheExitCodeStays() throws InterruptedException {
        CountDownLatch hasBegun = new CountDownLatch(1);
        CountDownLatch wasInterrupted = new CountDownLatch(1);
        try (Lifecycle hasty = builder().timeout(Duration.ofMillis(20)).build()) {
            hasty.onShutdown("never run", () -> did.add("never run"));
            hasty.onShutdown("hangs", () -> {
                hasBegun.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    wasInterrupted.countDown();
                }
            });
            hasty.start();
            assertEquals(OptionalInt.of(143), inject(hasty, Signal.SIGTERM).exitCode());
            // On a busy machine the time may be over before the first hook has begun.
            if (hasBegun.getCount() == 0) {
                assertTrue(wasInterrupted.await(60, TimeUnit.SECONDS));
            }
            assertEquals(List.of(), did);
        }
    }

    @Test
    void aRealSignalGoesTheSameWayAndExits() throws InterruptedException {
        lifecycle.onShutdown("one", () -> did.add("1"));
        lifecycle.start();
        Signals.send((int) ProcessHandle.current().pid(), Signal.SIGTERM);
        assertEquals("exit 143", exits.calls.poll(60, TimeUnit.SECONDS));
        assertEquals(List.of("1"), did);
    }

    @Test
    void theProgramExitsByTheSameDoorWithItsOwnCode() throws InterruptedException {
        lifecycle.onShutdown("one", () -> did.add("1"));
        lifecycle.start();
        lifecycle.exit(7);
        lifecycle.exit(8);
        assertEquals("exit 7", exits.calls.poll(60, TimeUnit.SECONDS));
        assertEquals(List.of("1"), did);
    }

    @Test
    void hooksOfOthersThatHangAreHaltedWithTheSameCode() throws InterruptedException {
        try (Lifecycle hasty = builder().haltAfter(Duration.ofMillis(1)).build()) {
            hasty.start();
            Signals.send((int) ProcessHandle.current().pid(), Signal.SIGTERM);
            Set<String> both = new HashSet<>();
            both.add(exits.calls.poll(60, TimeUnit.SECONDS));
            both.add(exits.calls.poll(60, TimeUnit.SECONDS));
            assertEquals(Set.of("exit 143", "halt 143"), both);
        }
    }

    // r[verify life.double-tap]
    @Test
    void aSecondInterruptForcesTheEndWhileAHookHangs() throws InterruptedException {
        CountDownLatch isRunning = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lifecycle.onShutdown("hangs", () -> {
            isRunning.countDown();
            assertTrue(goOn.await(60, TimeUnit.SECONDS));
        });
        lifecycle.start();
        assertEquals(Duration.ZERO, lifecycle.doubleTapLeft());
        CompletableFuture<SignalOutcome> first = lifecycle.injectForTest(Signal.SIGINT);
        assertTrue(isRunning.await(60, TimeUnit.SECONDS));
        assertEquals(new SignalOutcome(Signal.SIGINT, 0, OptionalInt.of(130), true), inject(lifecycle, Signal.SIGINT));
        goOn.countDown();
        assertEquals(new SignalOutcome(Signal.SIGINT, 0, OptionalInt.of(130), false), Futures.get(first));
        assertTrue(printed.toString(StandardCharsets.UTF_8).endsWith("Force quitting..." + System.lineSeparator()));
    }

    @Test
    void aQuietLifecyclePrintsNothing() {
        try (Lifecycle quiet = builder().quiet(true).build()) {
            quiet.start();
            inject(quiet, Signal.SIGINT);
            inject(quiet, Signal.SIGINT);
        }
        assertEquals(0, printed.size());
    }

    @Test
    void anInterruptDuringATerminationArmsTheTap() throws InterruptedException {
        CountDownLatch isRunning = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lifecycle.onShutdown("hangs", () -> {
            isRunning.countDown();
            assertTrue(goOn.await(60, TimeUnit.SECONDS));
        });
        lifecycle.start();
        CompletableFuture<SignalOutcome> term = lifecycle.injectForTest(Signal.SIGTERM);
        assertTrue(isRunning.await(60, TimeUnit.SECONDS));
        assertFalse(inject(lifecycle, Signal.SIGINT).isForced());
        assertTrue(inject(lifecycle, Signal.SIGINT).isForced());
        goOn.countDown();
        assertEquals(OptionalInt.of(143), Futures.get(term).exitCode());
    }

    // r[verify life.register]
    @Test
    void handlersAreCalledInOrderAndOneThatThrowsStopsNoOther() {
        lifecycle.handle(Signal.SIGUSR1, info -> did.add("1"));
        lifecycle.handle(Signal.SIGUSR1, info -> {
            throw new IllegalStateException("broken, as this test wants it");
        });
        lifecycle.handle(Signal.SIGUSR1, info -> did.add("3"));
        lifecycle.start();
        assertEquals(
                new SignalOutcome(Signal.SIGUSR1, 3, OptionalInt.empty(), false), inject(lifecycle, Signal.SIGUSR1));
        assertEquals(List.of("1", "3"), did);
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
    }

    @Test
    void aRegistrationTakesBackItsOwnHandlerOnly() {
        SignalHandler same = info -> did.add("same");
        Registration first = lifecycle.handle(Signal.SIGUSR1, same);
        Registration second = lifecycle.handle(Signal.SIGUSR1, same);
        lifecycle.start();
        first.close();
        first.close();
        assertEquals(1, inject(lifecycle, Signal.SIGUSR1).handlers());
        assertTrue(lifecycle.handles(Signal.SIGUSR1));
        second.close();
        assertEquals(0, inject(lifecycle, Signal.SIGUSR1).handlers());
        assertFalse(lifecycle.handles(Signal.SIGUSR1));
    }

    @Test
    void manyThreadsRegisterAndNoHandlerIsLost() throws Exception {
        lifecycle.start();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<CompletableFuture<Registration>> added = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            added.add(CompletableFuture.supplyAsync(
                    () -> lifecycle.handle(Signal.SIGUSR2, info -> did.add("called")), threads));
        }
        added.forEach(Futures::get);
        assertEquals(200, inject(lifecycle, Signal.SIGUSR2).handlers());
        threads.shutdown();
        assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }

    // r[verify life.intercept-little]
    @Test
    void itTakesTermAndIntAndWhatHasAHandler() {
        lifecycle.start();
        assertTrue(lifecycle.handles(Signal.SIGTERM));
        assertTrue(lifecycle.handles(Signal.SIGINT));
        assertFalse(lifecycle.handles(Signal.SIGHUP));
        assertFalse(lifecycle.handles(Signal.SIGUSR1));
        Registration reload = lifecycle.onReload("any", () -> {});
        assertTrue(lifecycle.handles(Signal.SIGHUP));
        reload.close();
        assertFalse(lifecycle.handles(Signal.SIGHUP));
        Registration handler = lifecycle.handle(Signal.SIGHUP, info -> did.add("hup"));
        assertEquals(OptionalInt.empty(), inject(lifecycle, Signal.SIGHUP).exitCode());
        assertEquals(List.of("hup"), did);
        handler.close();
    }

    @Test
    void aHandledQuitEndsTheProcessAtOnce() {
        lifecycle.handle(Signal.SIGQUIT, info -> did.add("quit"));
        lifecycle.onShutdown("never run", () -> did.add("never run"));
        lifecycle.start();
        assertEquals(
                new SignalOutcome(Signal.SIGQUIT, 1, OptionalInt.of(131), true), inject(lifecycle, Signal.SIGQUIT));
        assertEquals(List.of("quit"), did);
    }

    // r[verify life.pipe]
    @Test
    void aBrokenPipeIsOnlyObserved() {
        lifecycle.handle(Signal.SIGPIPE, info -> did.add("pipe"));
        lifecycle.start();
        assertEquals(
                new SignalOutcome(Signal.SIGPIPE, 1, OptionalInt.empty(), false), inject(lifecycle, Signal.SIGPIPE));
    }

    @Test
    void onlyOneIsActiveAndAfterItsCloseAnotherOneMayBe() {
        assertNull(Lifecycle.active());
        lifecycle.start();
        assertSame(lifecycle, Lifecycle.active());
        Lifecycle second = builder().build();
        IllegalStateException refused = assertThrows(IllegalStateException.class, second::start);
        assertTrue(refused.toString().contains("Lifecycle.active()"), refused::toString);
        lifecycle.close();
        assertNull(Lifecycle.active());
        second.start();
        assertEquals(OptionalInt.of(143), inject(second, Signal.SIGTERM).exitCode());
        second.close();
        assertThrows(IllegalStateException.class, second::start);
    }

    @Test
    void whatNeedsAnActiveOneSaysSo() {
        IllegalStateException early =
                assertThrows(IllegalStateException.class, () -> lifecycle.injectForTest(Signal.SIGTERM));
        assertTrue(early.toString().contains("not started"), early::toString);
        lifecycle.start();
        assertThrows(IllegalStateException.class, () -> lifecycle.dispatch(Signal.SIGUSR1, "test"));
        lifecycle.close();
        IllegalStateException late =
                assertThrows(IllegalStateException.class, () -> lifecycle.dispatch(Signal.SIGTERM, "test"));
        assertTrue(late.toString().contains("closed"), late::toString);
    }

    @Test
    void whatNobodyCanHandleIsRefusedAtOnce() {
        for (Signal signal : List.of(Signal.SIGKILL, Signal.SIGSTOP, Signal.SIGSEGV, Signal.of(33))) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> lifecycle.handle(signal, info -> {}));
            assertTrue(refused.toString().contains(signal.name()), refused::toString);
        }
    }

    @Test
    void whatComesByAnotherWayGoesTheSameWay() throws InterruptedException {
        BlockingQueue<SignalInfo> got = new LinkedBlockingQueue<>();
        lifecycle.handle(Signal.SIGUSR1, got::add);
        lifecycle.start();
        lifecycle.dispatch(Signal.SIGUSR1, "http");
        assertEquals(Signal.SIGUSR1, nonNull(got.poll(60, TimeUnit.SECONDS)).signal());
        lifecycle.dispatch(Signal.SIGTERM, "http");
        assertEquals("exit 143", exits.calls.poll(60, TimeUnit.SECONDS));
    }

    private static SignalInfo nonNull(SignalInfo info) {
        assertNotNull(info);
        return info;
    }

    @Test
    void anExecutorIsDrainedWithinTheTimeThatIsLeft() {
        ExecutorService work = Executors.newSingleThreadExecutor();
        lifecycle.onDrain("work", work);
        lifecycle.start();
        work.execute(() -> did.add("worked"));
        inject(lifecycle, Signal.SIGTERM);
        assertTrue(work.isTerminated());
        assertEquals(List.of("worked"), did);
    }

    @Test
    void aSignalOfAnExplicitServiceIsNotTakenAndTheMessageNamesIt() {
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGTERM))) {
            IllegalStateException refused = assertThrows(IllegalStateException.class, lifecycle::start);
            assertTrue(refused.toString().contains(service.toString()), refused::toString);
            assertNull(Lifecycle.active());
        }
    }

    @Test
    void anExplicitServiceCannotHaveASignalOfTheLifecycle() {
        lifecycle.start();
        try (EventLoop loop = EventLoop.open().start()) {
            assertThrows(IllegalStateException.class, () -> SignalService.attach(loop, SignalSet.of(Signal.SIGTERM)));
        }
    }

    @Test
    void aHandlerWhoseSignalCannotBeHadIsNotRegistered() {
        lifecycle.start();
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGUSR2))) {
            assertThrows(IllegalStateException.class, () -> lifecycle.handle(Signal.SIGUSR2, info -> {}));
            assertFalse(lifecycle.handles(Signal.SIGUSR2));
            assertEquals(SignalSet.of(Signal.SIGUSR2), service.attached());
        }
    }
}
