package dev.carillon.samples;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class PressureWatchIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path PROCESSORS = Path.of("/proc/pressure/cpu");

    @Test
    void itTellsWhenTasksWaitForAProcessor() {
        Assumptions.assumeTrue(Files.isWritable(PROCESSORS), PROCESSORS + " cannot be written to here");
        List<ChildProcess> crowd = new ArrayList<>();
        try (ChildProcess watcher =
                ChildJvm.of(PressureWatchKt.class).args(PROCESSORS.toString()).start()) {
            watcher.awaitLine("watching " + PROCESSORS, PATIENCE);
            for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
                crowd.add(ChildCommand.of("sh", "-c", "while :; do :; done").start());
            }
            watcher.awaitLine("some avg10=", PATIENCE);
            watcher.awaitLine("some avg10=", PATIENCE);
        } finally {
            crowd.forEach(ChildProcess::close);
        }
    }
}
