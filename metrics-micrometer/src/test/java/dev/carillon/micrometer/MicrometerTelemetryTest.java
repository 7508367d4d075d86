package dev.carillon.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.lifecycle.Lifecycle;
import dev.carillon.lifecycle.LifecycleBuilder;
import dev.carillon.lifecycle.Platform;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// r[verify life.metrics]
final class MicrometerTelemetryTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private LifecycleBuilder builder() {
        return Lifecycle.builder().quiet(true).telemetry(new MicrometerTelemetry(registry));
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    /** A close waits a second for what is told, no longer. What is told last is counted last. */
    private void awaitLast(String name, int least) {
        Deadline.after(Duration.ofSeconds(30)).await(name + " is counted", () -> {
            Counter counter = registry.find(name).counter();
            return counter != null && counter.count() >= least;
        });
    }

    private long metersOf(String name) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().equals(name))
                .count();
    }

    @Test
    void aShutdownIsTimedAndItsSignalCounted() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        try (Lifecycle lifecycle = builder().timeout(Duration.ofMillis(50)).build()) {
            lifecycle.onShutdown("skipped", () -> {});
            lifecycle.onShutdown("hangs", never::await);
            lifecycle.start();
            Futures.get(lifecycle.injectForTest(Signal.SIGTERM));
        }
        awaitLast("carillon.shutdown.skipped", 2);
        assertEquals(1, count("carillon.signal.received", "signal", "SIGTERM", "origin", "test"));
        var timer = registry.get("carillon.shutdown.completed")
                .tag("exit_code", "143")
                .timer();
        assertEquals(1, timer.count());
        assertTrue(timer.totalTime(TimeUnit.MILLISECONDS) >= 50, timer::toString);
        assertTrue(count("carillon.shutdown.skipped") >= 2, () -> "" + count("carillon.shutdown.skipped"));
    }

    @Test
    void threeRefusedConfigurationsAreThreeAndAnAlert() {
        try (Lifecycle lifecycle = builder().build()) {
            lifecycle.onReload("all", () -> {
                throw new IllegalArgumentException("bad, as this test wants it");
            });
            lifecycle.start();
            for (int i = 0; i < 3; i++) {
                Futures.get(lifecycle.injectForTest(Signal.SIGHUP));
            }
        }
        awaitLast("config_reload_failures", 1);
        assertEquals(3, count("carillon.reload.refused"));
        assertEquals(1, count("config_reload_failures"));
        assertEquals(1, metersOf("carillon.reload.refused"));
    }

    @Test
    void aSignalThatWindowsLacksIsCountedWithTheTagsOfTheStandard() {
        try (Lifecycle lifecycle = builder().platform(Platform.WINDOWS).build()) {
            lifecycle.handle(Signal.SIGHUP, info -> {});
        }
        Map<String, String> tags =
                Map.of("signal", "SIGHUP", "platform", "windows", "fallback_behavior", "http_admin_endpoint");
        assertEquals(1, metersOf("fulmen.signal.unsupported"));
        Meter.Id id = registry.getMeters().get(0).getId();
        assertEquals(tags.size(), id.getTags().size(), id::toString);
        tags.forEach((name, value) -> assertEquals(value, id.getTag(name), id::toString));
        assertEquals(1, count("fulmen.signal.unsupported"));
    }

    /** Each request over HTTP has an id of its own; a meter for each would fill the memory. */
    @Test
    void signalsOfManySendersAreOneMeter() throws InterruptedException {
        CountDownLatch came = new CountDownLatch(2);
        try (Lifecycle lifecycle = builder().build()) {
            lifecycle.handle(Signal.SIGUSR1, info -> came.countDown());
            lifecycle.start();
            lifecycle.dispatch(Signal.SIGUSR1, "http from one at 127.0.0.1, correlation_id 1");
            lifecycle.dispatch(Signal.SIGUSR1, "http from two at 127.0.0.1, correlation_id 2");
            assertTrue(came.await(60, TimeUnit.SECONDS));
        }
        awaitLast("carillon.signal.received", 2);
        assertEquals(2, count("carillon.signal.received", "signal", "SIGUSR1", "origin", "http"));
        assertEquals(1, metersOf("carillon.signal.received"));
    }

    @Test
    void anEventThatItDoesNotKnowIsCountedWithoutTags() {
        new MicrometerTelemetry(registry).emit("some.event", Map.of("id", "17"));
        assertEquals(1, count("some.event"));
        assertEquals(0, registry.getMeters().get(0).getId().getTags().size());
    }
}
