package dev.carillon.process;

import static dev.carillon.process.Running.assertMessage;
import static dev.carillon.process.Running.exitOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.FdHold;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors that go where the output goes, descriptors of others, and a first word of one's own. */
final class StdioIT extends ChildCase {
    private static final String BOTH = "echo 1; echo 2 >&2; echo 3; echo 4 >&2";

    @TempDir
    private Path folder;

    // r[verify process.stdio]
    @Test
    void errorsAndOutputComeInTheOrderInWhichTheyWereWritten() throws Exception {
        try (Child piped =
                shell(BOTH).stdout(Stdio.pipe()).stderr(Stdio.sameAsStdout()).start(loop)) {
            assertEquals("1\n2\n3\n4\n", Running.all(piped.stdout()));
            assertThrows(IllegalStateException.class, piped::stderr);
            exitOf(piped);
        }
        Path file = folder.resolve("both");
        exitOf(shell(BOTH).stderr(Stdio.sameAsStdout()).stdout(Stdio.to(file)).start(loop));
        assertEquals("1\n2\n3\n4\n", Files.readString(file));
    }

    // r[verify process.stdio]
    @Test
    void errorsGoToOurOutputWhereTheChildHasThat() {
        Child child = shell("test $(readlink /proc/$$/fd/1) = $(readlink /proc/$$/fd/2)")
                .stderr(Stdio.sameAsStdout())
                .start(loop);
        assertTrue(exitOf(child).isSuccess());
    }

    // r[verify process.stdio]
    @Test
    void anyDescriptorCanBeReadOrWrittenAndStaysItsOwners() throws Exception {
        Path in = Files.writeString(folder.resolve("in"), "ding");
        Path out = folder.resolve("out");
        Sys sys = Sys.get();
        int before = Descriptors.count();
        Fd read = sys.files().open(in.toString(), Constants.O_RDONLY, 0);
        Fd write = sys.files().open(out.toString(), Constants.O_WRONLY | Constants.O_CREAT, 0600);
        try (FdHold held = FdHold.of(read);
                FdHold written = FdHold.of(write)) {
            read.close();
            Child child = shell("cat; echo dong >&2")
                    .stdin(Stdio.of(held))
                    .stdout(Stdio.of(written.number()))
                    .stderr(Stdio.sameAsStdout())
                    .start(loop);
            assertTrue(exitOf(child).isSuccess());
            // It shares our offset.
            sys.descriptors().duplicateFrom(written.number(), 0).close();
        }
        write.close();
        assertEquals("dingdong\n", Files.readString(out));
        Deadline.after(Running.LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
    }

    // r[verify process.stdio]
    @Test
    void aDescriptorMayHaveTheVeryNumberOfAnotherStream() {
        // Ours, crossed: what the child writes as an error goes to our output.
        Child child = shell("test $(readlink /proc/$$/fd/1) = " + ofOurs(2) + " -a $(readlink /proc/$$/fd/2) = "
                        + ofOurs(1))
                .stdout(Stdio.of(2))
                .stderr(Stdio.of(1))
                .start(loop);
        assertTrue(exitOf(child).isSuccess());
    }

    private static String ofOurs(int number) {
        return "'" + Objects.requireNonNull(Descriptors.open().get(number)) + "'";
    }

    // r[verify process.stdio]
    @Test
    void nonsenseIsRefusedBeforeAnythingIsStarted() {
        Spawn.Builder command = Spawn.command("true");
        assertThrows(IllegalArgumentException.class, () -> Stdio.of(-1));
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> command.stdout(Stdio.sameAsStdout())),
                "only stderr can be the same as stdout");
        assertThrows(IllegalArgumentException.class, () -> command.stdin(Stdio.sameAsStdout()));
        int before = Descriptors.count();
        SyscallException closed = assertThrows(
                SyscallException.class,
                () -> command.stdin(Stdio.pipe()).stdout(Stdio.of(1_000_000)).start(loop));
        assertEquals("EBADF", closed.errnoName());
        assertMessage(closed, "fd=1000000");
        Deadline.after(Running.LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
    }

    // r[verify process.arg0]
    @Test
    void theFirstWordMayDifferFromTheProgram() {
        Spawn.Builder command = Spawn.command(
                        "sh", "-c", "tr '\\0' ' ' < /proc/$$/cmdline | cut -d' ' -f1,2; readlink /proc/$$/exe")
                .arg0("-glöckchen");
        List<String> lines = Running.linesOf(command, loop);
        assertEquals("-glöckchen -c", lines.get(0));
        assertTrue(lines.get(1).startsWith("/"), lines::toString);
        assertThrows(
                IllegalArgumentException.class,
                () -> Spawn.command("true").arg0("a\0b").start(loop));
    }

    private static Spawn.Builder shell(String script) {
        return Spawn.command("sh", "-c", script);
    }
}
