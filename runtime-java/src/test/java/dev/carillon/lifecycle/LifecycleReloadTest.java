package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A new configuration by HUP. */
final class LifecycleReloadTest extends LifecycleCase {
    // r[verify life.reload]
    @Test
    void aGoodConfigurationRunsTheShutdownAndLeavesWith129() {
        lifecycle.onReload("schema", () -> did.add("schema"));
        lifecycle.onReload("ports", () -> did.add("ports"));
        lifecycle.onShutdown("one", () -> did.add("1"));
        lifecycle.start();
        assertEquals(OptionalInt.of(129), inject(lifecycle, Signal.SIGHUP).exitCode());
        assertEquals(List.of("schema", "ports", "1"), did);
    }

    @Test
    void theFirstValidatorThatRefusesStopsTheReloadAndTheProcessGoesOn() {
        lifecycle.onReload("good", () -> did.add("good"));
        lifecycle.onReload("bad", () -> {
            throw new IllegalArgumentException("port=-1, as this test wants it");
        });
        lifecycle.onReload("never asked", () -> did.add("never asked"));
        lifecycle.onShutdown("one", () -> did.add("1"));
        lifecycle.start();
        assertEquals(OptionalInt.empty(), inject(lifecycle, Signal.SIGHUP).exitCode());
        assertFalse(lifecycle.isShuttingDown());
        assertEquals(List.of("good"), did);
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(List.of("good", "1"), did);
    }

    @Test
    void threeRefusalsInARowRaiseAnAlertAndASuccessResetsTheCount() {
        List<String> events = new CopyOnWriteArrayList<>();
        boolean[] isGood = {false};
        try (Lifecycle watched = builder()
                .telemetry((event, tags) -> events.add(event + " " + tags.getOrDefault("failures", "-")))
                .build()) {
            watched.onReload("all", () -> {
                if (!isGood[0]) {
                    throw new IllegalArgumentException("bad, as this test wants it");
                }
            });
            watched.start();
            for (int i = 0; i < 3; i++) {
                inject(watched, Signal.SIGHUP);
            }
            isGood[0] = true;
            inject(watched, Signal.SIGHUP);
            isGood[0] = false;
            inject(watched, Signal.SIGHUP);
        }
        events.removeIf(event -> !event.contains("reload"));
        assertEquals(
                List.of(
                        Telemetry.RELOAD_REFUSED + " 1",
                        Telemetry.RELOAD_REFUSED + " 2",
                        Telemetry.RELOAD_REFUSED + " 3",
                        Telemetry.RELOAD_FAILURES + " 3",
                        Telemetry.RELOAD_REFUSED + " 1"),
                events);
    }

    @Test
    void hangUpsDuringAValidationLeadToOneMore() throws InterruptedException {
        BlockingQueue<Boolean> verdicts = new LinkedBlockingQueue<>();
        CountDownLatch begun = new CountDownLatch(1);
        lifecycle.onReload("slow", () -> {
            did.add("validated");
            begun.countDown();
            if (!Boolean.TRUE.equals(verdicts.poll(60, TimeUnit.SECONDS))) {
                throw new IllegalArgumentException("refused, as this test wants it");
            }
        });
        lifecycle.start();
        List<CompletableFuture<SignalOutcome>> asked = new ArrayList<>();
        asked.add(lifecycle.injectForTest(Signal.SIGHUP));
        assertTrue(begun.await(60, TimeUnit.SECONDS));
        for (int i = 0; i < 5; i++) {
            asked.add(lifecycle.injectForTest(Signal.SIGHUP));
        }
        // The one that came before the others changed is good, and does not count.
        verdicts.add(true);
        verdicts.add(false);
        asked.forEach(one -> assertEquals(OptionalInt.empty(), Futures.get(one).exitCode()));
        assertEquals(List.of("validated", "validated"), did);
    }

    @Test
    void aTerminationDuringAValidationWins() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        lifecycle.onReload("hangs", () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupted.countDown();
            }
        });
        lifecycle.start();
        CompletableFuture<SignalOutcome> hup = lifecycle.injectForTest(Signal.SIGHUP);
        assertTrue(begun.await(60, TimeUnit.SECONDS));
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(OptionalInt.empty(), Futures.get(hup).exitCode());
        assertTrue(interrupted.await(60, TimeUnit.SECONDS));
    }

    // r[verify life.reload]
    @Test
    void aHangUpThatWaitsWhileTheLastValidatorIsWithdrawnCallsItsHandlersOnly() throws InterruptedException {
        for (boolean isGood : new boolean[] {true, false}) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch isWithdrawn = new CountDownLatch(1);
            try (Lifecycle fresh = builder().build()) {
                fresh.handle(Signal.SIGHUP, info -> did.add("handled"));
                fresh.onShutdown("one", () -> did.add("shutdown"));
                Registration only = fresh.onReload("only", () -> {
                    begun.countDown();
                    isWithdrawn.await();
                    if (!isGood) {
                        throw new IllegalArgumentException("refused, as this test wants it");
                    }
                });
                fresh.start();
                CompletableFuture<SignalOutcome> first = fresh.injectForTest(Signal.SIGHUP);
                assertTrue(begun.await(60, TimeUnit.SECONDS));
                CompletableFuture<SignalOutcome> second = fresh.injectForTest(Signal.SIGHUP);
                only.close();
                isWithdrawn.countDown();
                assertEquals(OptionalInt.empty(), Futures.get(first).exitCode());
                assertEquals(new SignalOutcome(Signal.SIGHUP, 1, OptionalInt.empty(), false), Futures.get(second));
                assertFalse(fresh.isShuttingDown());
            }
            assertEquals(List.of("handled"), did, "good " + isGood);
            did.clear();
        }
    }
}
