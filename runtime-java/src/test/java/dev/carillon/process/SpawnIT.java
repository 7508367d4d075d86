package dev.carillon.process;

import static dev.carillon.process.Running.LIMIT;
import static dev.carillon.process.Running.all;
import static dev.carillon.process.Running.assertMessage;
import static dev.carillon.process.Running.exitOf;
import static dev.carillon.process.Running.linesOf;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpawnIT extends ChildCase {
    @TempDir
    private Path folder;

    private static Spawn.Builder shell(String script) {
        return Spawn.command("sh", "-c", script);
    }

    // r[verify process.exit]
    @Test
    void anExitCodeAndASignalAreTold() {
        assertEquals(ExitStatus.exited(0), exitOf(Spawn.command("true").start(loop)));
        assertEquals(ExitStatus.exited(3), exitOf(shell("exit 3").start(loop)));
        ExitStatus killed = exitOf(shell("kill -TERM $$").start(loop));
        assertEquals(ExitStatus.terminated(Signal.SIGTERM, false), killed);
        assertEquals(143, killed.code());
        assertEquals("terminated by SIGTERM", killed.toString());
    }

    // r[verify process.exit]
    @Test
    void theEndIsToldToEachWhoAsksOnceAlsoLate() {
        Child child = shell("exit 7").start(loop);
        AtomicInteger told = new AtomicInteger();
        child.onExit((status, failure) -> told.incrementAndGet());
        assertEquals(7, exitOf(child).code());
        Deadline.after(LIMIT).await("the callback was called", () -> told.get() == 1);
        assertFalse(child.isAlive());
        assertEquals(7, exitOf(child).code());
        child.onExit((status, failure) -> told.addAndGet(status != null && status.code() == 7 ? 10 : 1_000));
        assertEquals(11, told.get());
    }

    @Test
    void whoHasGoneIsNotTold() {
        Child child = Spawn.command("sleep", "100").start(loop);
        AtomicInteger told = new AtomicInteger();
        child.onExit((status, failure) -> told.incrementAndGet()).close();
        assertTrue(child.exit().cancel(false));
        assertTrue(child.kill());
        assertEquals(Signal.SIGKILL, exitOf(child).signal());
        assertEquals(0, told.get());
    }

    @Test
    void oneWhoThrowsDoesNotKeepTheOthersFromBeingTold() throws Exception {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        EventLoopOptions options = EventLoopOptions.builder()
                .errorHandler((own, error) -> reported.complete(error))
                .build();
        try (EventLoop own = EventLoop.open(options).start()) {
            Child child = Spawn.command("sleep", "100").start(own);
            AtomicInteger told = new AtomicInteger();
            child.onExit((status, failure) -> {
                throw new IllegalStateException("on purpose");
            });
            child.onExit((status, failure) -> told.incrementAndGet());
            child.kill();
            assertMessage(get(reported), "on purpose");
            assertEquals(1, told.get());
        }
    }

    @Test
    void anEndedChildTakesNoSignal() {
        Child child = Spawn.command("true").start(loop);
        exitOf(child);
        assertFalse(child.send(Signal.SIGTERM));
        assertFalse(child.queue(Signal.SIGUSR1, 7));
        assertFalse(child.kill());
    }

    @Test
    void waitingOnTheLoopThreadIsRefused() {
        Child child = Spawn.command("sleep", "100").start(loop);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        loop.execute(() -> thrown.complete(
                assertThrows(IllegalStateException.class, () -> child.exit().get(1, TimeUnit.SECONDS))));
        assertMessage(get(thrown), "get()");
        child.kill();
        exitOf(child);
    }

    // r[verify process.spawn]
    @Test
    void aCommandThatCannotRunIsToldAtOnceAndByType() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain"), "no program");
        SpawnException missing = assertThrows(
                SpawnException.class, () -> Spawn.command("no-such-bell").start(loop));
        assertEquals(SpawnException.Reason.COMMAND_NOT_FOUND, missing.reason());
        assertEquals("ENOENT", missing.errnoName());
        assertEquals("no-such-bell", missing.command());
        assertMessage(missing, "command=no-such-bell could not be started: ENOENT (2)");
        SpawnException plainFile = assertThrows(
                SpawnException.class, () -> Spawn.command(plain.toString()).start(loop));
        assertEquals(SpawnException.Reason.NOT_EXECUTABLE, plainFile.reason());
        assertEquals("EACCES", plainFile.errnoName());
        assertTrue(plain.toFile().setExecutable(true));
        SpawnException noProgram = assertThrows(
                SpawnException.class, () -> Spawn.command(plain.toString()).start(loop));
        assertEquals(SpawnException.Reason.NOT_EXECUTABLE, noProgram.reason());
        assertEquals("ENOEXEC", noProgram.errnoName());
    }

    // r[verify process.spawn]
    @Test
    void aMissingDirectoryIsToldAtOnceAndByType() throws Exception {
        Path missing = folder.resolve("missing");
        SpawnException thrown = assertThrows(
                SpawnException.class,
                () -> Spawn.command("true").directory(missing).start(loop));
        assertEquals(SpawnException.Reason.NO_DIRECTORY, thrown.reason());
        assertMessage(thrown, "directory=" + missing);
        Path file = Files.createFile(folder.resolve("file"));
        assertEquals(
                SpawnException.Reason.NO_DIRECTORY,
                assertThrows(
                                SpawnException.class,
                                () -> Spawn.command("true").directory(file).start(loop))
                        .reason());
    }

    @Test
    void tooManyArgumentsAreRefused() {
        Spawn.Builder command = Spawn.command("true", "x".repeat(200_000));
        SpawnException thrown = assertThrows(SpawnException.class, () -> command.start(loop));
        assertEquals(SpawnException.Reason.REFUSED, thrown.reason());
        assertEquals("E2BIG", thrown.errnoName());
    }

    @Test
    void nonsenseIsRefusedBeforeAnythingIsStarted() {
        Spawn.Builder command = Spawn.command("true");
        assertThrows(IllegalArgumentException.class, () -> command.inherit(-1, 3));
        assertThrows(IllegalArgumentException.class, () -> command.inherit(5, 2));
        assertThrows(IllegalArgumentException.class, () -> command.inherit(5, 1_024));
        assertThrows(IllegalArgumentException.class, () -> command.stdin(Stdio.to(folder)));
        assertThrows(IllegalArgumentException.class, () -> command.stdout(Stdio.from(folder)));
        assertThrows(IllegalArgumentException.class, () -> command.environment("A=B", "c"));
        assertThrows(IllegalArgumentException.class, () -> Spawn.command(List.of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> Spawn.command("true", "a\0b").start(loop));
        assertThrows(
                IllegalArgumentException.class,
                () -> Spawn.command("true").inherit(9, 5).inherit(9, 5));
        assertEquals(
                "EBADF",
                assertThrows(
                                SyscallException.class,
                                () -> Spawn.command("true")
                                        .inherit(1_000_000, 3)
                                        .start(loop))
                        .errnoName());
        EventLoop ended = EventLoop.open();
        ended.close();
        assertThrows(
                RejectedExecutionException.class, () -> Spawn.command("true").start(ended));
    }

    @Test
    void pipesAreHandlesOnTheLoop() {
        try (Child cat =
                Spawn.command("cat").stdin(Stdio.pipe()).stdout(Stdio.pipe()).start(loop)) {
            get(cat.stdin().writeAllAsync(ByteBuffer.wrap("ding".getBytes(StandardCharsets.UTF_8))));
            get(cat.stdin().closeAsync());
            assertEquals("ding", all(cat.stdout()));
            assertTrue(exitOf(cat).isSuccess());
            assertThrows(IllegalStateException.class, cat::stderr);
        }
    }

    @Test
    void errorsHaveAPipeOfTheirOwn() {
        try (Child child = shell("echo out; echo err >&2")
                .stdout(Stdio.pipe())
                .stderr(Stdio.pipe())
                .start(loop)) {
            assertEquals("out\n", all(child.stdout()));
            assertEquals("err\n", all(child.stderr()));
            // The pipes end before the child does, and a loop that ends hands its children to the shared one.
            exitOf(child);
        }
    }

    @Test
    void filesAreReadWrittenAndAppended() throws Exception {
        Path in = Files.writeString(folder.resolve("in"), "b\na\n");
        Path out = Files.writeString(folder.resolve("out"), "something old and long\n");
        exitOf(Spawn.command("sort").stdin(Stdio.from(in)).stdout(Stdio.to(out)).start(loop));
        exitOf(Spawn.command("sort")
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(out))
                .start(loop));
        exitOf(Spawn.command("echo", "c").stdout(Stdio.append(out)).start(loop));
        assertEquals("a\nb\nc\n", Files.readString(out));
        SyscallException missing = assertThrows(
                SyscallException.class,
                () -> Spawn.command("sort")
                        .stdin(Stdio.from(folder.resolve("missing")))
                        .start(loop));
        assertEquals("ENOENT", missing.errnoName());
    }

    @Test
    void folderAndEnvironmentAreThoseAskedFor() throws Exception {
        assertEquals(
                List.of(folder.toRealPath().toString()),
                linesOf(Spawn.command("pwd").directory(folder), loop));
        assertEquals(
                List.of("BELL=carillon"),
                linesOf(Spawn.command("/usr/bin/env").clearEnvironment().environment("BELL", "carillon"), loop));
        assertTrue(linesOf(Spawn.command("env").environment("BELL", "x"), loop).contains("BELL=x"));
        assertEquals(List.of("gone"), linesOf(shell("echo ${HOME-gone}").withoutEnvironment("HOME"), loop));
    }

    // r[verify process.java]
    @Test
    void childrenOfProcessBuilderKeepTheirEnd() throws Exception {
        for (int i = 0; i < 20; i++) {
            Process theirs = new ProcessBuilder("sh", "-c", "exit " + i).start();
            Child ours = shell("exit " + (100 + i)).start(loop);
            assertEquals(100 + i, exitOf(ours).code());
            assertTrue(theirs.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertEquals(i, theirs.exitValue());
            theirs.destroy();
        }
    }
}
