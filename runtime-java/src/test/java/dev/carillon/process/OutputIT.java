package dev.carillon.process;

import static dev.carillon.process.Running.LIMIT;
import static dev.carillon.process.Running.assertMessage;
import static dev.carillon.test.Futures.failureOf;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import dev.carillon.test.LeakExempt;
import dev.carillon.test.LeakKind;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Children;
import dev.carillon.test.proc.Descriptors;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of a child as one future. */
@LeakExempt(
        kinds = {LeakKind.THREAD, LeakKind.DESCRIPTOR},
        why = "the shared loop, which takes over, lives as long as the VM")
final class OutputIT extends ChildCase {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofHours(1);

    private int before;

    @TempDir
    private Path folder;

    @BeforeEach
    void count() {
        EventLoop.shared();
        Running.exitOf(Spawn.command("true").start(loop));
        before = Descriptors.count();
    }

    @AfterEach
    void nothingIsLeft() {
        Deadline.after(LIMIT)
                .await(
                        "no descriptor and no child is left",
                        () -> Descriptors.count() <= before && Children.all().isEmpty());
    }

    private static Spawn.Builder shell(String script) {
        return Spawn.command("sh", "-c", script);
    }

    private Output outputOf(Spawn.Builder command, OutputOptions.Builder options) {
        return get(command.collect(loop, options.build()).output());
    }

    // r[verify process.output]
    @Test
    void theEndAndBothOutputsComeTogether() {
        Output output =
                get(shell("echo out; echo err >&2; exit 3").collect(loop).output());
        assertEquals(3, output.exit().code());
        assertEquals("out\n", output.stdoutText());
        assertEquals("err\n", output.stderrText());
        assertFalse(output.isTruncated() || output.isCut());
        assertEquals("Output[exit code 3, stdout 4 bytes, stderr 4 bytes]", output.toString());
    }

    // r[verify process.output]
    @Test
    void whatWasSetIsLeftAlone() throws Exception {
        Path file = folder.resolve("errors");
        Output output = get(shell("echo out; echo err >&2; cat")
                .stderr(Stdio.to(file))
                .collect(loop)
                .output());
        assertEquals("out\n", output.stdoutText());
        assertEquals(0, output.stderr().length);
        assertEquals("err\n", Files.readString(file));
        Output merged = get(shell("echo 1; echo 2 >&2; echo 3")
                .stderr(Stdio.sameAsStdout())
                .collect(loop)
                .output());
        assertEquals("1\n2\n3\n", merged.stdoutText());
    }

    // r[verify process.output]
    @Test
    void aBuilderThatCollectedStartsAsBefore() {
        Spawn.Builder command =
                shell("test $(readlink /proc/$$/fd/1) = '" + Descriptors.open().get(1) + "'");
        assertEquals(1, get(command.collect(loop).output()).exit().code());
        assertEquals(0, Running.exitOf(command.start(loop)).code());
    }

    // r[verify process.output]
    @Test
    void anyInputComesBackWhole(@Seeded SplittableRandom random) {
        byte[] input = new byte[random.nextInt(1_000_000)];
        random.nextBytes(input);
        Output output = outputOf(Spawn.command("cat"), OutputOptions.builder().input(input));
        assertArrayEquals(input, output.stdout());
        assertFalse(output.isTruncated());
        assertEquals(
                0,
                outputOf(Spawn.command("cat"), OutputOptions.builder().input(new byte[0]))
                        .stdout()
                        .length);
    }

    // r[verify process.output]
    @Test
    void aChildThatDoesNotReadItsInputIsNoFailure() {
        Output output =
                outputOf(shell("exec <&-; echo done"), OutputOptions.builder().input(new byte[1_000_000]));
        assertEquals("done\n", output.stdoutText());
        assertTrue(output.exit().isSuccess());
    }

    // r[verify process.output]
    @Test
    void whatIsBeyondTheLimitIsReadAndThrownAwayAndTheChildGoesOn() {
        Output output = outputOf(
                // Where SIGPIPE is ignored, as in a service of systemd, yes tells of the broken pipe.
                shell("yes 2> /dev/null | head -c 3000000; printf 12345 >&2; exit 4"),
                OutputOptions.builder().limit(5));
        assertEquals("y\ny\ny", output.stdoutText());
        assertEquals("12345", output.stderrText());
        assertTrue(output.isTruncated());
        assertEquals(4, output.exit().code());
        Output exact = outputOf(shell("printf 12345"), OutputOptions.builder().limit(5));
        assertEquals("12345", exact.stdoutText());
        assertFalse(exact.isTruncated());
        assertTrue(outputOf(shell("printf 1"), OutputOptions.builder().limit(0)).isTruncated());
    }

    // r[verify process.output-linger]
    @Test
    void aGrandchildThatKeepsThePipeDoesNotKeepTheFuture() {
        for (Duration linger : new Duration[] {Duration.ZERO, SHORT}) {
            Output output = outputOf(
                    shell("sleep 1000 & echo $!; head -c 60000 /dev/zero"),
                    OutputOptions.builder().linger(linger));
            String text = output.stdoutText();
            String pid = text.substring(0, text.indexOf('\n'));
            // All that the child wrote is there, however short the time was.
            assertEquals(pid.length() + 1 + 60_000, output.stdout().length);
            assertTrue(output.isCut());
            assertFalse(output.isTruncated());
            ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly();
        }
    }

    // r[verify process.output-linger]
    @Test
    void whatTheChildWroteIsReadWholeThoughTheLoopWasBusyMeanwhile() {
        OutputOptions options = OutputOptions.builder().linger(Duration.ZERO).build();
        OutputCollection collection = get(CompletableFuture.supplyAsync(
                () -> {
                    OutputCollection begun = shell("sleep 1000 & echo $!; head -c 60000 /dev/zero")
                            .collect(loop, options);
                    int pid = begun.child().pid();
                    Deadline.after(LIMIT).await("it has ended", () -> Children.hasEnded(pid));
                    return begun;
                },
                loop));
        Output output = get(collection.output());
        String text = output.stdoutText();
        String pid = text.substring(0, text.indexOf('\n'));
        ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly();
        assertEquals(pid.length() + 1 + 60_000, output.stdout().length);
    }

    // r[verify process.output-linger]
    @Test
    void aGrandchildThatWritesForEverDoesNotKeepTheFutureEither() {
        // On a busy machine the grandchild may not write in time, so the child does.
        Output output = outputOf(
                shell("yes & head -c 100 /dev/zero; exit 3"),
                OutputOptions.builder().linger(SHORT).limit(10));
        assertTrue(output.isCut() && output.isTruncated());
        assertEquals(3, output.exit().code());
    }

    // r[verify process.output-linger]
    @Test
    void whatAGrandchildWritesInTimeBelongsToTheOutput() {
        Output output = outputOf(
                shell("(sleep 0.2; echo late) & echo early"),
                OutputOptions.builder().linger(LONG));
        assertEquals("early\nlate\n", output.stdoutText());
        assertFalse(output.isCut());
    }

    // r[verify process.output]
    @Test
    void aChildThatTakesTooLongIsEndedAndWhatItWroteIsTold() {
        OutputException failure =
                timedOut("trap 'echo bye; exit 9' TERM; echo hello; while :; do sleep 0.01; done", LONG);
        assertMessage(failure, "and was to end: Output[exit code 9, stdout 10 bytes");
        assertEquals("hello\nbye\n", failure.output().stdoutText());
        assertEquals(9, failure.output().exit().code());
        OutputException killed = timedOut("trap '' TERM; echo hello; while :; do sleep 0.01; done", SHORT);
        assertEquals(Signal.SIGKILL, killed.output().exit().signal());
    }

    // r[verify process.output]
    @Test
    void aTimeoutEndsALeaderThatHasLeftItsGroup() {
        OutputException failure = timedOut(GroupIT.thatLeavesItsGroup(""), LONG);
        assertEquals(Signal.SIGTERM, failure.output().exit().signal());
    }

    /** With a timeout that is long enough for the child to say hello, or ready; "bye" may come before that. */
    private OutputException timedOut(String script, Duration grace) {
        return timedOut(shell(script), grace);
    }

    private OutputException timedOut(Spawn.Builder command, Duration grace) {
        Duration timeout = SHORT;
        while (true) {
            OutputOptions options =
                    OutputOptions.builder().timeout(timeout).grace(grace).build();
            OutputException late = assertInstanceOf(
                    OutputException.class,
                    failureOf(command.collect(loop, options).output()));
            if (late.output().stdoutText().matches("(?s)(hello|ready)\\n.*")) {
                return late;
            }
            timeout = timeout.multipliedBy(2);
        }
    }

    // r[verify process.output]
    @Test
    void aFutureThatWasGivenUpEndsTheChildAndItsGroup() {
        OutputCollection cancelled = shell("sleep 1000; true")
                .ownGroup()
                .collect(loop, OutputOptions.builder().grace(LONG).build());
        assertTrue(cancelled.output().cancel(false));
        assertEquals(Signal.SIGTERM, Running.exitOf(cancelled.child()).signal());
        Deadline.after(LIMIT)
                .await(
                        "its group has ended, too",
                        () -> ProcessHandle.allProcesses().noneMatch(process -> isOf(process, cancelled.child())));
        OutputCollection completed = Spawn.command("sleep", "1000").collect(loop);
        assertTrue(completed.output().completeExceptionally(new IllegalStateException("on purpose")));
        assertEquals(Signal.SIGTERM, Running.exitOf(completed.child()).signal());
    }

    private static boolean isOf(ProcessHandle process, Child leader) {
        try {
            return !Children.hasEnded(process.pid())
                    && GroupIT.groupAndSession(process.pid()).get(0) == leader.pid();
        } catch (UncheckedIOException ended) {
            return false;
        }
    }

    // r[verify process.output]
    @Test
    void aLoopThatEndsFirstEndsTheChildAndFailsTheFuture() {
        EventLoop own = EventLoop.open().start();
        OutputCollection collection = Spawn.command("sleep", "1000").collect(own);
        own.close();
        assertMessage(assertInstanceOf(ClosedException.class, failureOf(collection.output())), "it is ended");
        assertEquals(Signal.SIGTERM, Running.exitOf(collection.child()).signal());
        assertThrows(
                RejectedExecutionException.class, () -> Spawn.command("true").collect(own));
    }

    // r[verify process.output]
    @Test
    void nonsenseIsRefusedBeforeAnythingIsStarted() {
        OutputOptions.Builder options = OutputOptions.builder();
        assertThrows(IllegalArgumentException.class, () -> options.limit(-1));
        assertThrows(IllegalArgumentException.class, () -> options.timeout(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> options.grace(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> options.linger(Duration.ofNanos(-1)));
        assertThrows(SpawnException.class, () -> Spawn.command("no-such-bell").collect(loop));
        OutputOptions input = options.input(new byte[1]).build();
        assertMessage(
                assertThrows(
                        IllegalStateException.class,
                        () -> Spawn.command("cat").stdin(Stdio.nothing()).collect(loop, input)),
                "only one");
    }

    @Test
    void manyAtOnceAreAllCollected() {
        CompletableFuture<?>[] all = new CompletableFuture<?>[40];
        for (int i = 0; i < all.length; i++) {
            String word = "bell " + i;
            all[i] = shell("printf '" + word + "'; printf '" + word + "' >&2")
                    .collect(loop)
                    .output()
                    .thenAccept(output -> assertEquals(word + word, output.stdoutText() + output.stderrText()));
        }
        get(CompletableFuture.allOf(all));
    }
}
