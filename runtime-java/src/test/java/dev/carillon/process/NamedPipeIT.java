package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Named pipes as what a child reads and writes. */
final class NamedPipeIT extends ChildCase {
    private final Sys sys = Sys.get();

    @TempDir
    private Path folder;

    private Path fifo = Path.of("/");

    @BeforeEach
    void makePipe() {
        fifo = folder.resolve("bell");
        assertEquals(List.of(), Running.linesOf(Spawn.command("mkfifo", fifo.toString()), loop));
    }

    private SyscallException refusal(Spawn.Builder command) throws Exception {
        return Deadline.call(Running.LIMIT, () -> assertThrows(SyscallException.class, () -> command.start(loop)));
    }

    // r[verify process.named-pipe]
    @Test
    void aPipeThatNobodyReadsIsRefusedAtOnce() throws Exception {
        for (Stdio out : List.of(Stdio.to(fifo), Stdio.append(fifo))) {
            SyscallException refused = refusal(Spawn.command("echo", "x").stdout(out));
            assertEquals("ENXIO", refused.errnoName());
            Running.assertMessage(refused, fifo.toString());
            Running.assertMessage(refused, "open its other end first");
        }
    }

    // r[verify process.named-pipe]
    @Test
    void aPipeThatNobodyWritesIsRefusedAtOnce() throws Exception {
        SyscallException refused = refusal(Spawn.command("cat").stdin(Stdio.from(fifo)));
        assertEquals("ENXIO", refused.errnoName());
        Running.assertMessage(refused, fifo.toString());
        Running.assertMessage(refused, "open its other end first");
    }

    // r[verify process.named-pipe]
    @Test
    void aPipeWhoseOtherEndIsOpenIsHandedOverAndBlocksAsUsual() throws Exception {
        try (Fd reader = sys.files().open(fifo, Constants.O_RDONLY | Constants.O_NONBLOCK, 0)) {
            Child child = Spawn.command("sh", "-c", "grep flags: /proc/self/fdinfo/1 >&2; echo x")
                    .stdout(Stdio.to(fifo))
                    .stderr(Stdio.pipe())
                    .start(loop);
            String flags = Running.all(child.stderr());
            assertFalse(flags.strip().matches(".*[4567]...$"), flags);
            assertEquals("exit code 0", Running.exitOf(child).toString());
            child.close();
            assertEquals('x', firstByteOf(reader));
        }
        try (RandomAccessFile writer = Deadline.call(Running.LIMIT, () -> new RandomAccessFile(fifo.toFile(), "rw"))) {
            Child child = Spawn.command("head", "-n", "1")
                    .stdin(Stdio.from(fifo))
                    .stdout(Stdio.pipe())
                    .start(loop);
            writer.write("late\n".getBytes(StandardCharsets.UTF_8));
            assertEquals("late\n", Running.all(child.stdout()));
            assertEquals("exit code 0", Running.exitOf(child).toString());
            child.close();
        }
    }

    private int firstByteOf(Fd end) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        assertEquals(1, sys.descriptors().read(end.acquire(), sys.libc().addressOf(one), 1));
        end.release();
        return one.get(0);
    }
}
