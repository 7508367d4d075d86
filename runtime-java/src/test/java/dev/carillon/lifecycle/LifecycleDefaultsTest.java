package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds where the program says nothing: the figures of the catalog. */
// r[verify life.catalog]
final class LifecycleDefaultsTest extends LifecycleCase {
    /** Of two figures that a machine cannot mix up, however slow it is. */
    @ParameterizedTest
    @CsvSource({"TERM, 143, 5, 30", "HUP, 129, 5, 30", "INT, 130, 0, 5"})
    void aShutdownHasTheTimeThatTheCatalogNames(String name, int code, int more, int atMost) {
        BlockingQueue<Duration> seen = new LinkedBlockingQueue<>();
        try (Lifecycle plain =
                Lifecycle.builder().exitHook(exits).haltAfter(LONG).quiet(true).build()) {
            plain.onReload("any", () -> {});
            plain.onShutdown("look", () -> {
                seen.add(plain.timeLeft());
                seen.add(plain.doubleTapLeft());
            });
            plain.start();
            assertEquals(OptionalInt.of(code), inject(plain, Signal.named(name)).exitCode());
        }
        Duration left = seen.remove();
        assertTrue(left.compareTo(Duration.ofSeconds(more)) > 0, left::toString);
        assertTrue(left.compareTo(Duration.ofSeconds(atMost)) <= 0, left::toString);
        assertTrue(seen.remove().compareTo(Duration.ofSeconds(2)) <= 0);
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
