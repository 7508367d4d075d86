package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of the specification, and the ways from words to signals. */
class SignalCatalogTest {
    // r[verify life.catalog]
    @ParameterizedTest
    @CsvSource({
        "TERM, 15, CTRL_CLOSE_EVENT, graceful_shutdown, 143, 30",
        "INT, 2, CTRL_C_EVENT, graceful_shutdown_with_double_tap, 130, 5",
        "HUP, 1, , reload_via_restart, 129, 30",
        "QUIT, 3, CTRL_BREAK_EVENT, immediate_exit, 131, 0",
        "PIPE, 13, , observe_only, 141, ",
        "ALRM, 14, , immediate_exit, 142, 0",
        "USR1, 10, , custom, 138, ",
        "USR2, 12, , custom, 140, ",
        "KILL, 9, , immediate_exit, 137, 0",
    })
    void aSignalIsDescribedAsTheSpecificationHasIt(
            String name, int number, WindowsEvent event, String behavior, int exitCode, Long timeout) {
        SignalEntry entry = entry(Signal.named(name));
        assertEquals(name.toLowerCase(Locale.ROOT), entry.id());
        assertEquals(name, entry.shortName());
        assertEquals("SIG" + name, entry.name());
        assertEquals(number, entry.signal().number());
        assertSame(event, entry.windowsEvent());
        assertEquals(behavior, entry.defaultBehavior().id());
        assertEquals(exitCode, entry.exitCode());
        assertEquals(timeout == null ? null : Duration.ofSeconds(timeout), entry.timeout());
    }

    @Test
    void thereAreEightSignalsThatAProgramCanHandleAndKill() {
        assertEquals(9, SignalCatalog.entries().size());
        assertEquals(
                List.of(Signal.SIGKILL),
                SignalCatalog.entries().stream()
                        .filter(entry -> !entry.isRegistrable())
                        .map(SignalEntry::signal)
                        .toList());
        assertEquals(Optional.empty(), SignalCatalog.find(Signal.SIGCHLD));
    }

    @Test
    void interruptHasTheDoubleTapAndHangupTheReload() {
        assertEquals(
                new DoubleTapRule(
                        Duration.ofSeconds(2),
                        "Press Ctrl+C again within 2s to force quit",
                        SignalBehavior.IMMEDIATE_EXIT,
                        130),
                entry(Signal.SIGINT).doubleTap());
        assertEquals(
                new ReloadStrategy("restart_based", true), entry(Signal.SIGHUP).reload());
        assertEquals(
                List.of(Signal.SIGINT),
                SignalCatalog.entries().stream()
                        .filter(entry -> entry.doubleTap() != null)
                        .map(SignalEntry::signal)
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "TERM, close_connections flush_buffers remove_pid_file log_shutdown",
        "INT, close_connections flush_buffers remove_pid_file log_interrupt",
        "HUP, validate_new_config_against_schema graceful_shutdown restart_with_new_config log_reload",
    })
    void cleanupIsNamedInItsOrder(String name, String actions) {
        assertEquals(List.of(actions.split(" ", -1)), entry(Signal.named(name)).cleanupActions());
    }

    @ParameterizedTest
    @CsvSource({
        "HUP, http_admin_endpoint, POST /admin/signal with signal=HUP",
        "USR1, http_admin_endpoint, POST /admin/signal with signal=USR1",
        "USR2, http_admin_endpoint, POST /admin/signal with signal=USR2",
        "PIPE, exception_handling, Java reports a broken pipe as an IOException",
        "ALRM, timer_api, 'use a scheduled executor, or the timers of the loop'",
    })
    void whatWindowsLacksHasAFallback(String name, String behavior, String hint) {
        WindowsFallback fallback =
                Objects.requireNonNull(entry(Signal.named(name)).windowsFallback());
        assertEquals(behavior, fallback.fallbackBehavior());
        assertEquals(hint, fallback.operationHint());
        assertEquals("INFO", fallback.logLevel());
        assertEquals("fulmen.signal.unsupported", fallback.telemetryEvent());
        assertEquals(
                Map.of("signal", "SIG" + name, "platform", "windows", "fallback_behavior", behavior),
                fallback.telemetryTags());
        assertEquals(
                "signal=SIG" + name + " platform=windows fallback=" + behavior + " message='" + hint + "'",
                fallback.logLine("SIG" + name, "windows"));
    }

    @Test
    void allThatWindowsDeliversNeedsNoFallback() {
        for (SignalEntry entry : SignalCatalog.entries()) {
            boolean unsupported = Platform.WINDOWS.support(entry.signal()) == SignalSupport.UNSUPPORTED;
            assertEquals(unsupported && entry.isRegistrable(), entry.windowsFallback() != null, entry::name);
        }
    }

    @Test
    void behavioursHaveTheirPhases() {
        assertEquals(
                Map.of(
                        "graceful_shutdown", "notify stop_accepting drain cleanup exit",
                        "graceful_shutdown_with_double_tap",
                                "first_signal second_signal_check notify stop_accepting drain cleanup exit",
                        "reload_via_restart", "notify validate reject_invalid graceful_shutdown exit restart",
                        "immediate_exit", "notify exit",
                        "custom", "delegate log_completion",
                        "observe_only", "notify telemetry continue"),
                List.of(SignalBehavior.values()).stream()
                        .collect(
                                Collectors.toMap(SignalBehavior::id, behavior -> String.join(" ", behavior.phases()))));
    }

    // r[verify life.resolve]
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "term", "SIGTERM", "sigterm", "SigTerm", "15"})
    void aSignalIsFoundByEachOfItsNames(String name) {
        assertSame(Signal.SIGTERM, SignalCatalog.resolve(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-15",
                "+15",
                "0",
                "",
                " ",
                "\t",
                " TERM",
                "TERM ",
                "015",
                "0x0f",
                "15.0",
                "1e1",
                "4294967311",
                "99999999999999999999",
                "65",
                "17",
                "CHLD",
                "SIG",
                "SIGSIGTERM",
                "TERMINATE",
                "*",
                "\u0661\u0665"
            })
    void whatIsNoSignalOfTheCatalogResolvesToNull(String name) {
        assertNull(SignalCatalog.resolve(name));
    }

    /** In Turkish the small letter of I has no dot; and Java's capital of the long s is S. */
    @Test
    void theCaseIsThatOfAsciiInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr-TR"));
            assertSame(Signal.SIGINT, SignalCatalog.resolve("SIGINT"));
            assertSame(Signal.SIGINT, SignalCatalog.resolve("sigint"));
            assertEquals(List.of(Signal.SIGINT), SignalCatalog.match("SIGI*"));
            assertNull(SignalCatalog.resolve("s\u0131gint"));
            assertNull(SignalCatalog.resolve("\u017figint"));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void aNumberIsThatOfThePlatform() {
        assertSame(Signal.SIGUSR1, SignalCatalog.resolve("10", Platform.LINUX));
        assertNull(SignalCatalog.resolve("30", Platform.LINUX));
        assertSame(Signal.SIGUSR1, SignalCatalog.resolve("30", Platform.MACOS));
        assertSame(Signal.SIGUSR2, SignalCatalog.resolve("31", Platform.FREEBSD));
        assertNull(SignalCatalog.resolve("10", Platform.MACOS));
    }

    @ParameterizedTest
    @CsvSource({
        "USR*, SIGUSR1 SIGUSR2",
        "usr?, SIGUSR1 SIGUSR2",
        "SIG?SR1, SIGUSR1",
        "*R*, SIGTERM SIGALRM SIGUSR1 SIGUSR2",
        "*, SIGTERM SIGINT SIGHUP SIGQUIT SIGPIPE SIGALRM SIGUSR1 SIGUSR2 SIGKILL",
        "term, SIGTERM",
        "USR, ''",
        "'', ''",
        "[A-Z]*, ''",
        ".*, ''",
        "15, ''",
    })
    void aGlobSelectsNames(String glob, String names) {
        assertEquals(names, SignalCatalog.match(glob).stream().map(Signal::name).collect(Collectors.joining(" ")));
    }

    @Test
    void aGlobOfManyStarsEndsSoon() {
        assertEquals(List.of(), SignalCatalog.match("*".repeat(50_000) + "x" + "*a".repeat(50_000)));
    }

    // r[verify life.platforms]
    @ParameterizedTest
    @CsvSource({
        "Linux, LINUX",
        "Mac OS X, MACOS",
        "Darwin, MACOS",
        "FreeBSD, FREEBSD",
        "Windows 11, WINDOWS",
        "WINDOWS NT, WINDOWS",
        "SunOS, LINUX",
        "'', LINUX",
    })
    void aPlatformIsFoundByItsName(String system, Platform platform) {
        assertSame(platform, Platform.named(system));
    }

    @Test
    void numbersAndExitCodesAreThoseOfThePlatform() {
        assertEquals(10, Platform.LINUX.number(Signal.SIGUSR1));
        assertEquals(138, Platform.LINUX.exitCode(Signal.SIGUSR1));
        for (Platform platform : List.of(Platform.MACOS, Platform.FREEBSD)) {
            assertEquals(30, platform.number(Signal.SIGUSR1));
            assertEquals(158, platform.exitCode(Signal.SIGUSR1));
            assertEquals(31, platform.number(Signal.SIGUSR2));
            assertEquals(159, platform.exitCode(Signal.SIGUSR2));
        }
        for (Platform platform : Platform.values()) {
            assertEquals(143, platform.exitCode(Signal.SIGTERM));
            for (SignalEntry entry : SignalCatalog.entries()) {
                assertEquals(
                        entry.platformOverrides()
                                .getOrDefault(platform, entry.signal().number()),
                        platform.number(entry.signal()));
            }
        }
        assertEquals(28, Platform.LINUX.number(Signal.SIGWINCH));
        assertThrows(IllegalArgumentException.class, () -> Platform.MACOS.number(Signal.SIGWINCH));
    }

    @Test
    void windowsMapsThreeSignalsAndLacksTheOthers() {
        for (SignalEntry entry : SignalCatalog.entries()) {
            Signal signal = entry.signal();
            assertSame(
                    entry.windowsEvent() == null ? SignalSupport.UNSUPPORTED : SignalSupport.MAPPED,
                    Platform.WINDOWS.support(signal));
            assertSame(SignalSupport.NATIVE, Platform.LINUX.support(signal));
            assertSame(SignalSupport.NATIVE, Platform.MACOS.support(signal));
            assertSame(SignalSupport.NATIVE, Platform.FREEBSD.support(signal));
        }
        assertSame(SignalSupport.NATIVE, Platform.LINUX.support(Signal.SIGWINCH));
        assertSame(SignalSupport.UNSUPPORTED, Platform.MACOS.support(Signal.SIGWINCH));
        assertSame(SignalSupport.UNSUPPORTED, Platform.WINDOWS.support(Signal.realtime(3)));
    }

    @Test
    void thisTestRunsOnLinux() {
        assertTrue(Platform.current() == Platform.LINUX
                || !System.getProperty("os.name").equals("Linux"));
        assertFalse(SignalCatalog.toJson().isBlank());
    }

    private static SignalEntry entry(Signal signal) {
        return SignalCatalog.find(signal).orElseThrow();
    }
}
