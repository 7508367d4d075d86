package dev.carillon.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.benchmarks.model.Benchmark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchIT {
    @TempDir
    Path folder;

    /** One benchmark within a JVM, and one between processes; {@code bench --smoke} runs them all in continuous integration. */
    @ParameterizedTest
    @ValueSource(strings = {"post", "wake"})
    void aSmokeRunGivesARowForEveryCaseAndAChart(String name) throws IOException {
        Path json = folder.resolve("result.json");
        assertEquals(0, Bench.run(name, "--smoke", "--json", json.toString(), "--charts", folder.toString()));
        String result = Files.readString(json);
        Benchmark benchmark = Catalog.ALL.stream()
                .filter(b -> b.name().equals(name))
                .findFirst()
                .orElseThrow();
        benchmark.cases().forEach(c -> assertTrue(result.contains("\"case\": \"" + c.name() + "\""), result));
        assertTrue(Files.exists(folder.resolve(name + ".svg")));
    }

    @Test
    void anUnknownNameIsRefused() throws IOException {
        assertEquals(2, Bench.run("nonsense"));
        assertEquals(2, Bench.run("--nonsense"));
    }

    @Test
    void theListIsPrinted() throws IOException {
        assertEquals(0, Bench.run("--list"));
    }
}
