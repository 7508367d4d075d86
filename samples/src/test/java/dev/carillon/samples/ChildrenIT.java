package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Output;
import dev.carillon.process.OutputOptions;
import dev.carillon.process.ProcessWatch;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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
    void aWholeGroupIsEnded() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            // region group
            Child build = Spawn.command("sh", "-c", "sleep 100 & sleep 100")
                    .ownGroup()
                    .start(loop);
            Child logger = Spawn.command("sleep", "100").inGroupOf(build).start(loop);
            build.sendToGroup(Signal.SIGCONT);
            CompletableFuture<ExitStatus> all = build.end(Duration.ofSeconds(5));
            // endregion
            assertEquals(Signal.SIGTERM, all.get(20, TimeUnit.SECONDS).signal());
            assertEquals(Signal.SIGTERM, logger.exit().get(20, TimeUnit.SECONDS).signal());
            build.close();
        }
    }

    @Test
    void anOutputIsCollected() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            // region output
            OutputOptions options = OutputOptions.builder()
                    .input("b\na\n".getBytes(StandardCharsets.UTF_8))
                    .limit(65_536)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            CompletableFuture<Output> sorted =
                    Spawn.command("sort").collect(loop, options).output();
            CompletableFuture<?> said =
                    sorted.thenAccept(output -> System.out.println(output.exit() + ": " + output.stdoutText()));
            // endregion
            said.get(20, TimeUnit.SECONDS);
            assertEquals("a\nb\n", sorted.get(20, TimeUnit.SECONDS).stdoutText());
        }
    }

    @Test
    void aShellSetsTheUmaskOfAChild() throws Exception {
        Path file = folder.resolve("careful");
        try (EventLoop loop = EventLoop.open().start()) {
            // region umask
            Child careful = Spawn.command("sh", "-c", "umask 027; exec \"$0\" \"$@\"", "touch", file.toString())
                    .start(loop);
            // endregion
            assertTrue(careful.exit().get(20, TimeUnit.SECONDS).isSuccess());
        }
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
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
