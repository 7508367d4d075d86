package dev.carillon.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BenchOptionsTest {
    private static final Case PING = Case.named("ping, one core", "ping").build();
    private static final Benchmark LOOP = new Benchmark("loop", "A loop", List.of(PING));

    @Test
    void everyOptionIsRead() {
        BenchOptions options = BenchOptions.parse(
                "loop", "--smoke", "--json", "a.json", "--charts", "b", "--rounds", "9", "wake", "--list");
        assertEquals(
                new BenchOptions(
                        List.of("loop", "wake"),
                        true,
                        true,
                        9,
                        Optional.of(Path.of("a.json")),
                        Optional.of(Path.of("b"))),
                options);
    }

    @Test
    void nonsenseIsRefusedWithAReason() {
        assertRefused("unknown option --fast", "--fast");
        assertRefused("--json needs a value", "--json");
        assertRefused("--rounds needs a number, not 'many'", "--rounds", "many");
        assertRefused("--rounds needs a number above 0, not 0", "--rounds", "0");
    }

    @Test
    void aNameIsABenchmarkOrTheFirstWordsOfACase() {
        assertTrue(BenchOptions.parse().wants(LOOP, PING));
        assertTrue(BenchOptions.parse("loop").wants(LOOP, PING));
        assertTrue(BenchOptions.parse("loop/ping").wants(LOOP, PING));
        assertFalse(BenchOptions.parse("loop/pong").wants(LOOP, PING));
        assertFalse(BenchOptions.parse("lo").wants(LOOP, PING));
    }

    private static void assertRefused(String reason, String... args) {
        assertEquals(
                reason,
                assertThrows(IllegalArgumentException.class, () -> BenchOptions.parse(args))
                        .getMessage());
    }
}
