package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.lifecycle.Platform;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of signals that people read. */
// r[verify life.platforms]
final class SignalListTest {
    @ParameterizedTest
    @CsvSource({
        "LINUX, linux, SIGUSR1 +10 +138 +- +custom +http_admin_endpoint",
        "MACOS, darwin, SIGUSR1 +30 +158 +- +custom +http_admin_endpoint",
        "FREEBSD, freebsd, SIGUSR2 +31 +159 +- +custom +http_admin_endpoint",
        "MACOS, darwin, SIGTERM +15 +143 +30 s +graceful_shutdown +CTRL_CLOSE_EVENT",
        "WINDOWS, windows, SIGINT +2 +130 +5 s +graceful_shutdown_with_double_tap +CTRL_C_EVENT",
        "WINDOWS, windows, SIGPIPE +13 +141 +- +observe_only +exception_handling",
        "WINDOWS, windows, SIGALRM +14 +142 +0 s +immediate_exit +timer_api",
        "WINDOWS, windows, SIGKILL +9 +137 +0 s +immediate_exit +-",
    })
    void theNumbersAreThoseOfThePlatformAndItIsNamed(Platform platform, String name, String row) {
        String text = SignalList.toText(platform);
        assertEquals(1, text.lines().filter(line -> line.matches(row)).count(), text);
        assertTrue(text.contains("9 signals, with their numbers on " + name + ";"), text);
    }
}
