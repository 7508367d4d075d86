package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.ProcessWatch;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/children.md shows. */
class ChildrenIT {
    @TempDir
    private Path folder;

    @Test
    void aChildSortsAFile() throws Exception {
        Path names = Files.write(folder.resolve("names"), List.of("b", "a", "b"));
        Path sorted = folder.resolve("sorted");
        try (EventLoop loop = EventLoop.open().start()) {
            // region sort
            Child child = Spawn.command("sort", "-u")
                    .stdin(Stdio.from(names))
                    .stdout(Stdio.to(sorted))
                    .start(loop);
            CompletableFuture<ExitStatus> exit = child.exit();
            // endregion
            assertTrue(exit.get(20, TimeUnit.SECONDS).isSuccess());
        }
        assertEquals(List.of("a", "b"), Files.readAllLines(sorted));
    }

    @Test
    void aProcessIsWatched() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            long pid = Spawn.command("sleep", "100").start(loop).pid();
            // region watch
            ProcessWatch watch = ProcessWatch.of(loop, pid);
            CompletableFuture<?> said =
                    watch.exited().thenRun(() -> System.out.println("process " + watch.pid() + " has ended"));
            watch.send(Signal.SIGTERM);
            // endregion
            said.get(20, TimeUnit.SECONDS);
            watch.close();
        }
    }

    @Test
    void aChildIsSignalled() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            Child child = Spawn.command("sleep", "100").start(loop);
            assertTrue(child.send(Signal.SIGTERM));
            assertEquals(Signal.SIGTERM, child.exit().get(20, TimeUnit.SECONDS).signal());
        }
    }
}
