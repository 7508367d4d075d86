package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds where the program says nothing: the figures of the catalog. */
// r[verify life.catalog]
final class LifecycleDefaultsTest extends LifecycleCase {
    private static final int ATTEMPTS = 5;

    /**
     * Of two figures that a machine cannot mix up, however slow it is. It may stand still now and then until the time
     * is over, and does not do so each time.
     */
    @ParameterizedTest
    @CsvSource({"TERM, 143, 5, 30", "HUP, 129, 5, 30", "INT, 130, 0, 5"})
    void aShutdownHasTheTimeThatTheCatalogNames(String name, int code, int more, int atMost) {
        Duration left = timeLeft(Signal.named(name), code);
        for (int i = 1; i < ATTEMPTS && left.compareTo(Duration.ofSeconds(more)) <= 0; i++) {
            left = timeLeft(Signal.named(name), code);
        }
        assertTrue(left.compareTo(Duration.ofSeconds(more)) > 0, left::toString);
        assertTrue(left.compareTo(Duration.ofSeconds(atMost)) <= 0, left::toString);
    }

    /** What the hook has, or nothing where its time was over before it began. */
    private Duration timeLeft(Signal signal, int code) {
        BlockingQueue<Duration> seen = new LinkedBlockingQueue<>();
        BlockingQueue<Duration> ofTap = new LinkedBlockingQueue<>();
        try (Lifecycle plain =
                Lifecycle.builder().exitHook(exits).haltAfter(LONG).quiet(true).build()) {
            plain.onReload("any", () -> {});
            plain.onShutdown("look", () -> {
                ofTap.add(plain.doubleTapLeft());
                seen.add(plain.timeLeft());
            });
            plain.start();
            assertEquals(OptionalInt.of(code), inject(plain, signal).exitCode());
        }
        ofTap.forEach(tap -> assertTrue(tap.compareTo(Duration.ofSeconds(2)) <= 0, tap::toString));
        return Objects.requireNonNullElse(seen.poll(), Duration.ZERO);
    }

    @Test
    void theHintOfTheDefaultWindowIsTheMessageOfTheCatalog() {
        DoubleTapRule rule =
                SignalCatalog.find(Signal.SIGINT).map(SignalEntry::doubleTap).orElseThrow();
        assertEquals(rule.message(), new DoubleTap(rule.window(), () -> 1).hint());
        assertEquals(
                Duration.ofSeconds(2), Lifecycle.builder().settings(Map.of()).window());
    }
}
