package dev.carillon.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchReportTest {
    @Test
    void aReportThatFindsNoRoomIsNoStackTrace(@TempDir Path folder) throws IOException {
        assertFalse(Bench.save(Path.of("/dev/full"), "{}"));
        Path file = folder.resolve("new/last.json");
        assertTrue(Bench.save(file, "{}"));
        assertEquals("{}", Files.readString(file));
    }
}
