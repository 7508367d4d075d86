package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.lifecycle.ExitHook;
import dev.carillon.lifecycle.Lifecycle;
import dev.carillon.lifecycle.LifecycleBuilder;
import dev.carillon.lifecycle.Platform;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;

/** An endpoint before a lifecycle, on systems that a value stands for. */
final class LifecycleEndpointTest extends EndpointCase {
    private final BlockingQueue<String> called = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    private LifecycleBuilder lifecycle(Platform platform) {
        return Lifecycle.builder()
                .platform(platform)
                .telemetry((event, tags) -> events.add(event))
                .exitHook(new ExitHook() {
                    @Override
                    public void exit(int code) {
                        called.add("exit " + code);
                    }

                    @Override
                    public void halt(int code) {
                        called.add("halt " + code);
                    }
                });
    }

    private static SignalEndpoint endpoint(Lifecycle lifecycle) throws IOException {
        return SignalEndpoint.builder(lifecycle)
                .authenticator(Authenticator.bearer("deploy", TOKEN))
                .start();
    }

    // r[verify admin.fallback] r[verify life.fallback] r[verify life.register]
    @Test
    void aSignalThatWindowsLacksReachesItsHandlersOverHttpOnly() throws Exception {
        try (Lifecycle windows = lifecycle(Platform.WINDOWS).build()) {
            windows.handle(Signal.SIGHUP, info -> called.add("handled " + info.signal()));
            assertEquals(1, Records.ofLifecycles().size(), Records.ofLifecycles()::toString);
            LoggingEvent record = Records.ofLifecycles().get(0);
            assertEquals(Level.INFO, record.getLevel());
            assertEquals(
                    Map.of(
                            "signal", "SIGHUP",
                            "platform", "windows",
                            "fallback", "http_admin_endpoint",
                            "operation_hint", "POST /admin/signal with signal=HUP"),
                    Records.fields(record));
            assertEquals(List.of("fulmen.signal.unsupported"), List.copyOf(events));
            windows.start();
            assertEquals(0, Futures.get(windows.injectForTest(Signal.SIGHUP)).handlers());
            try (SignalEndpoint endpoint = endpoint(windows)) {
                assertEquals(202, post(endpoint, "{\"signal\":\"HUP\"}").statusCode());
                assertEquals("handled SIGHUP", called.poll(60, TimeUnit.SECONDS));
            }
        }
    }

    // r[verify life.platforms]
    @Test
    void aNumberIsThatOfTheSystem() throws Exception {
        try (Lifecycle mac = lifecycle(Platform.MACOS).build()) {
            mac.handle(Signal.SIGUSR1, info -> called.add("handled " + info.signal()));
            mac.start();
            try (SignalEndpoint endpoint = endpoint(mac)) {
                assertEquals(400, post(endpoint, "{\"signal\":\"10\"}").statusCode());
                assertEquals(202, post(endpoint, "{\"signal\":\"30\"}").statusCode());
                assertEquals("handled SIGUSR1", called.poll(60, TimeUnit.SECONDS));
            }
        }
    }

    // r[verify admin.contract]
    @Test
    void aLifecycleHandlesNothingBeforeItsStartAndAfterItsClose() throws Exception {
        Lifecycle idle = lifecycle(Platform.LINUX).build();
        try (SignalEndpoint endpoint = endpoint(idle)) {
            assertEquals(409, post(endpoint, TERM).statusCode());
            idle.start();
            assertEquals(202, post(endpoint, TERM).statusCode());
            assertEquals("exit 143", called.poll(60, TimeUnit.SECONDS));
            idle.close();
            assertEquals(409, post(endpoint, TERM).statusCode());
        } finally {
            idle.close();
        }
    }
}
