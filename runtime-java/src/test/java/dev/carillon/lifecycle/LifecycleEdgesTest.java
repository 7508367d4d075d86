package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Deadline;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** What comes while a lifecycle starts, and a close while it shuts down. */
final class LifecycleEdgesTest extends LifecycleCase {
    // r[verify life.close]
    @Test
    void aCloseInAShutdownTakesEffectAfterIt() {
        lifecycle.onShutdown(
                "two", () -> did.add("left " + !lifecycle.timeLeft().isZero()));
        lifecycle.onShutdown("one", lifecycle::close);
        lifecycle.start();
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(List.of("left true"), did);
        lifecycle.close();
        // The loop may be about to close it at the same time.
        Deadline.after(LONG).await("the lifecycle is closed", () -> Lifecycle.active() == null);
    }

    // r[verify life.cancellation]
    @Test
    void workThatWaitsForTheShutdownIsCancelledBeforeTheSteps() {
        CompletableFuture<Void> work = new CompletableFuture<>();
        lifecycle.onStopAccepting("stop", () -> did.add("stop, work cancelled " + work.isCancelled()));
        CompletableFuture<Void> cancelled = lifecycle.shutdownBegun().thenRun(() -> work.cancel(true));
        CompletableFuture<Void> broken = lifecycle.shutdownBegun().thenRun(() -> {
            throw new IllegalStateException("broken, as this test wants it");
        });
        assertTrue(lifecycle.shutdownBegun().complete(null));
        assertFalse(lifecycle.shutdownBegun().isDone());
        lifecycle.start();
        assertEquals(OptionalInt.of(143), inject(lifecycle, Signal.SIGTERM).exitCode());
        assertEquals(List.of("stop, work cancelled true"), did);
        assertTrue(lifecycle.shutdownBegun().isDone() && cancelled.isDone() && broken.isCompletedExceptionally());
    }

    @Test
    void nothingIsHandledBeforeTheStartAndAfterAClose() {
        lifecycle.handle(Signal.SIGUSR1, info -> did.add("called"));
        List<Signal> signals = List.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGUSR1);
        signals.forEach(signal -> assertFalse(lifecycle.handles(signal), signal::name));
        lifecycle.start();
        signals.forEach(signal -> assertTrue(lifecycle.handles(signal), signal::name));
        lifecycle.close();
        signals.forEach(signal -> assertFalse(lifecycle.handles(signal), signal::name));
    }

    @Test
    void whoComesWhileItStartsIsToldSo() {
        BlockingQueue<Throwable> refused = new LinkedBlockingQueue<>();
        Lifecycle[] early = new Lifecycle[1];
        // The first thing that a start asks for is the name of the service manager.
        Map<String, String> environment = new AbstractMap<>() {
            @Override
            public Set<Entry<String, String>> entrySet() {
                try {
                    early[0].ready();
                } catch (IllegalStateException told) {
                    refused.add(told);
                }
                return Set.of();
            }
        };
        early[0] = new Lifecycle(builder().settings(environment));
        early[0].start();
        early[0].close();
        String message = refused.remove().toString();
        assertTrue(message.contains("is being started"), message);
    }
}
