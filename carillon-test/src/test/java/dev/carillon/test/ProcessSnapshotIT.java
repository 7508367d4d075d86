package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessSnapshotIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** As process 1 of its own pid namespace a VM inherits all orphans, and nobody in it waits for them. */
    @Test
    void aZombieIsCaught() {
        String me = System.getProperty("user.name");
        Assumptions.assumeTrue("root".equals(me), "only root may make a pid namespace, and this is " + me);
        try (ChildProcess child = ChildJvm.of(Adopts.class)
                .prefix("unshare", "--pid", "--fork", "--mount-proc")
                .start()) {
            String line = child.awaitLine("leftover", SOON);
            assertTrue(line.contains("\"sleep\" in state Z (zombie: ended, but nobody waited for it)"), line);
        }
    }

    @Test
    void aJarThatAClassLoaderOpenedIsNoLeak(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("some.jar");
        new JarOutputStream(Files.newOutputStream(jar)).close();
        ProcessSnapshot before = ProcessSnapshot.take();
        try (JarFile open = new JarFile(jar.toFile())) {
            assertEquals(List.of(), ProcessSnapshot.take().since(before), open.getName());
        }
    }

    @Test
    void aTaskThatEndedIsNotMissed() throws InterruptedException {
        Thread thread = new Thread(() -> {}, "short-lived");
        ProcessSnapshot before = ProcessSnapshot.take();
        thread.start();
        thread.join(SOON.toMillis());
        assertEquals(List.of(), ProcessSnapshot.take().since(before));
    }

    static final class Adopts {
        public static void main(String[] args) throws IOException, InterruptedException {
            ProcessSnapshot before = ProcessSnapshot.take();
            new ProcessBuilder("sh", "-c", "sleep 0.01 &").start().waitFor();
            Deadline.after(SOON)
                    .await(
                            "a zombie is there",
                            () -> ProcessSnapshot.take().since(before).stream()
                                    .anyMatch(leftover -> leftover.what().contains("zombie")));
            ProcessSnapshot.take().since(before).forEach(leftover -> System.out.println("leftover " + leftover.what()));
        }
    }
}
