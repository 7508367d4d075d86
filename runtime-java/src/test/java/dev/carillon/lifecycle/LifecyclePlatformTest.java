package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows and macOS, as a value says. */
// r[verify life.platforms] r[verify life.fallback]
final class LifecyclePlatformTest extends LifecycleCase {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> called = new LinkedBlockingQueue<>();

    private Lifecycle on(Platform platform) {
        return builder()
                .platform(platform)
                .telemetry((event, tags) -> {
                    if (event.equals("fulmen.signal.unsupported")) {
                        events.add(event + " " + new TreeMap<>(tags));
                    }
                })
                .build();
    }

    // r[verify life.register]
    @ParameterizedTest
    @CsvSource({
        "HUP, http_admin_endpoint",
        "USR1, http_admin_endpoint",
        "USR2, http_admin_endpoint",
        "PIPE, exception_handling",
        "ALRM, timer_api",
        "WINCH, none",
    })
    void whatWindowsLacksIsRegisteredWithOneEvent(String name, String fallback) {
        try (Lifecycle windows = on(Platform.WINDOWS)) {
            windows.handle(Signal.named(name), info -> called.add("called"));
            windows.start();
        }
        assertEquals(
                List.of("fulmen.signal.unsupported {fallback_behavior=" + fallback + ", platform=windows, signal=SIG"
                        + name + "}"),
                events);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "QUIT"})
    void whatWindowsMapsIsRegisteredWithoutAnEvent(String name) {
        try (Lifecycle windows = on(Platform.WINDOWS)) {
            windows.handle(Signal.named(name), info -> called.add("called"));
            windows.start();
            inject(windows, Signal.named(name));
        }
        assertEquals(List.of("called"), List.copyOf(called));
        assertEquals(List.of(), events);
    }

    @Test
    void anInjectedSignalThatWindowsLacksReachesNobodyAndADispatchedOneItsHandlers() throws InterruptedException {
        try (Lifecycle windows = on(Platform.WINDOWS)) {
            windows.handle(Signal.SIGUSR1, info -> called.add("called"));
            windows.start();
            assertEquals(
                    new SignalOutcome(Signal.SIGUSR1, 0, OptionalInt.empty(), false), inject(windows, Signal.SIGUSR1));
            // Later than whatever the one before might have caused.
            inject(windows, Signal.SIGINT);
            assertEquals(List.of(), List.copyOf(called));
            assertTrue(windows.handles(Signal.SIGUSR1));
            windows.dispatch(Signal.SIGUSR1, "http");
            assertEquals("called", called.poll(60, TimeUnit.SECONDS));
        }
    }

    /** Only a service that keeps a signal for itself shows who has it. */
    @Test
    void aHandlerOfASignalThatWindowsLacksTakesNothingFromTheSystem() {
        try (Lifecycle windows = on(Platform.WINDOWS);
                EventLoop loop = EventLoop.open().start()) {
            windows.handle(Signal.SIGUSR1, info -> called.add("called"));
            windows.start();
            windows.handle(Signal.SIGUSR2, info -> called.add("called"));
            SignalSet both = SignalSet.of(Signal.SIGUSR1, Signal.SIGUSR2);
            try (SignalService service = SignalService.attach(loop, both)) {
                assertEquals(both, service.attached());
            }
        }
    }

    @Test
    void onWindowsANewConfigurationComesByAnotherWay() throws InterruptedException {
        try (Lifecycle windows = on(Platform.WINDOWS)) {
            windows.onReload("schema", () -> called.add("validated"));
            windows.start();
            assertEquals(OptionalInt.empty(), inject(windows, Signal.SIGHUP).exitCode());
            assertEquals(List.of(), List.copyOf(called));
            windows.dispatch(Signal.SIGHUP, "http");
            assertEquals("exit 129", exits.calls.poll(60, TimeUnit.SECONDS));
            assertEquals(1, events.size(), events::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(Platform.class)
    void exitCodesAreTheSameEverywhere(Platform platform) {
        try (Lifecycle there = on(platform)) {
            there.handle(Signal.SIGQUIT, info -> called.add("called"));
            there.start();
            for (Map.Entry<Signal, Integer> code : Map.of(Signal.SIGTERM, 143, Signal.SIGINT, 130, Signal.SIGQUIT, 131)
                    .entrySet()) {
                assertEquals(
                        OptionalInt.of(code.getValue()),
                        inject(there, code.getKey()).exitCode());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Platform.class,
            names = {"MACOS", "FREEBSD"})
    void theUserSignalsHaveOtherNumbersElsewhereAndAreDelivered(Platform platform) {
        try (Lifecycle there = on(platform)) {
            assertSame(Signal.SIGUSR1, there.resolve("30"));
            assertSame(Signal.SIGUSR2, there.resolve("31"));
            assertNull(there.resolve("10"));
            assertTrue(there.supportsSignal("30"));
            assertFalse(there.supportsSignal("12"));
            there.handle(Signal.SIGUSR1, info -> called.add("called"));
            there.start();
            assertEquals(1, inject(there, Signal.SIGUSR1).handlers());
        }
        assertEquals(List.of(), events);
    }

    @ParameterizedTest
    @CsvSource({
        "LINUX, TERM INT HUP QUIT PIPE ALRM USR1 USR2 WINCH",
        "MACOS, TERM INT HUP QUIT PIPE ALRM USR1 USR2",
        "FREEBSD, TERM INT HUP QUIT PIPE ALRM USR1 USR2",
        "WINDOWS, TERM INT QUIT",
    })
    void aProgramCanAskWhatIsDelivered(Platform platform, String names) {
        List<String> delivered = List.of(names.split(" ", -1));
        try (Lifecycle there = on(platform)) {
            assertSame(platform, there.platform());
            for (String name : List.of("TERM", "INT", "HUP", "QUIT", "PIPE", "ALRM", "USR1", "USR2", "WINCH", "KILL")) {
                assertEquals(delivered.contains(name), there.supportsSignal(Signal.named(name)), name);
            }
            SignalCatalog.entries()
                    .forEach(entry -> assertEquals(
                            delivered.contains(entry.shortName()), there.supportsSignal(entry.id()), entry.id()));
            assertFalse(there.supportsSignal("no signal"));
        }
    }
}
