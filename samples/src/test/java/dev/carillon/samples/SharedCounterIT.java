package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCounterIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void twoProcessesLoseNoCount() {
        try (ChildProcess one = counting(2_000_000);
                ChildProcess other = counting(2_000_000)) {
            assertEquals(0, one.awaitExit(PATIENCE).code());
            assertEquals(0, other.awaitExit(PATIENCE).code());
        }
        try (ChildProcess reader = counting(0)) {
            ChildExit exit = reader.awaitExit(PATIENCE);
            assertEquals("counted 0, now 4000000", exit.stdout().get(1));
        }
    }

    @Test
    void whatAKilledProcessCountedStays() {
        try (ChildProcess victim = counting(Integer.MAX_VALUE)) {
            victim.awaitLine("counting from 0", PATIENCE);
            victim.send("KILL");
            victim.awaitExit(PATIENCE);
        }
        try (ChildProcess next = counting(10)) {
            next.awaitExit(PATIENCE);
            long before =
                    Long.parseLong(next.awaitLine("counting from ", PATIENCE).substring("counting from ".length()));
            next.awaitLine("counted 10, now " + (before + 10), PATIENCE);
        }
    }

    private ChildProcess counting(int times) {
        return ChildJvm.of(SharedCounter.class)
                .args(folder.resolve("counter").toString(), Integer.toString(times))
                .start();
    }
}
