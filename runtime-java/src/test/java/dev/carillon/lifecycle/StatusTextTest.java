package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a service manager is told fits into what it reads. */
// r[verify life.notify]
final class StatusTextTest {
    @Test
    void aTextThatFitsStaysAsItIs() {
        String longest = "x".repeat(StatusText.MOST_BYTES - "STATUS=".length());
        assertEquals("STATUS=" + longest, StatusText.message("STATUS=", longest));
        assertEquals("STATUS=a b c d", StatusText.message("STATUS=", "a\nb\rc\0d"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u00fc", "\u2026", "\ud83d\udd14"})
    void aLongerOneIsCutBetweenTwoLettersWithAMark(String letter) {
        for (int before = 0; before < 4; before++) {
            String message = StatusText.message("STATUS=", "-".repeat(before) + letter.repeat(5_000));
            int bytes = message.getBytes(StandardCharsets.UTF_8).length;
            assertTrue(bytes <= StatusText.MOST_BYTES && bytes > StatusText.MOST_BYTES - 4, letter + bytes);
            assertTrue(message.endsWith(letter + "\u2026"), message);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1000", "1999, 1000", "2000, 1000", "3000, 1500", "30000000, 15000000"})
    void theWatchdogHearsFromUsOncePerMillisecondAtMost(String micros, long expected) {
        assertEquals(Duration.ofNanos(expected * 1_000), ServiceManager.beat(Map.of("WATCHDOG_USEC", micros), 1));
    }
}
