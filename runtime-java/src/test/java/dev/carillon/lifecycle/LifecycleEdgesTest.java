package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.signal.SignalOptions;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
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
        assertNull(Lifecycle.active());
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
        LifecycleSettings settings = new LifecycleSettings(
                LONG, LONG, LONG, true, System.err, null, exits, Telemetry.NONE, SignalOptions.defaults(), environment);
        early[0] = new Lifecycle(settings);
        early[0].start();
        early[0].close();
        String message = refused.remove().toString();
        assertTrue(message.contains("is being started"), message);
    }
}
