package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchFolderIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void aFileIsSeenWhenItIsMadeAndWhenItIsWritten() throws IOException {
        try (ChildProcess watcher =
                ChildJvm.of(WatchFolderKt.class).args(folder.toString(), "2").start()) {
            watcher.awaitLine("watching", PATIENCE);
            Path file = Files.writeString(folder.resolve("file"), "text");
            watcher.awaitLine("CREATED " + file, PATIENCE);
            watcher.awaitLine("WRITTEN " + file, PATIENCE);
            assertEquals(0, watcher.awaitExit(PATIENCE).code());
        }
    }
}
