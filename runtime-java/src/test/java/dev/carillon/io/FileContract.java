package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Seeded;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files. */
abstract class FileContract extends LoopCase {
    private static final int MEGABYTE = 1 << 20;

    @TempDir
    private Path folder;

    // r[verify io.file]
    @Test
    void whatIsWrittenIsRead() throws Exception {
        EventLoop loop = started();
        Path path = folder.resolve("file");
        FileHandle file = get(FileHandle.open(
                loop, path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ));
        assertEquals(10L, get(file.writeAllAsync(LoopCase.bytes("01234"), LoopCase.direct("56789"))));
        assertEquals(10, file.length());
        ByteBuffer part = ByteBuffer.allocate(3);
        assertEquals(3, get(file.readAtAsync(part, 4)));
        assertEquals("456", LoopCase.text(part));
        assertEquals(-1, get(file.readSomeAsync(ByteBuffer.allocate(4))));
        assertEquals(2, get(file.writeAtAsync(LoopCase.bytes("xy"), 8)));
        assertEquals("01234567xy", Files.readString(path));
        get(file.closeAsync());
    }

    // r[verify io.file]
    @Test
    void allOfALargeBufferIsWrittenAndReadAtAPosition(@Seeded SplittableRandom random) throws Exception {
        EventLoop loop = started();
        Path path = folder.resolve("file");
        FileHandle file = get(FileHandle.open(
                loop, path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ));
        byte[] content = new byte[3 * MEGABYTE + 1];
        random.nextBytes(content);
        for (boolean direct : new boolean[] {false, true}) {
            ByteBuffer out = direct ? ByteBuffer.allocateDirect(content.length) : ByteBuffer.allocate(content.length);
            assertEquals(
                    content.length, get(file.writeAllAtAsync(out.put(content).flip(), 100)));
            assertEquals(100 + content.length, file.length());
            ByteBuffer in = direct ? ByteBuffer.allocateDirect(content.length) : ByteBuffer.allocate(content.length);
            assertEquals(content.length, get(file.readAllAtAsync(in, 100)));
            assertEquals(ByteBuffer.wrap(content), in.flip());
            in.clear();
            assertEquals(content.length - MEGABYTE, get(file.readAllAtAsync(in, 100 + MEGABYTE)));
            assertEquals(ByteBuffer.wrap(content, MEGABYTE, content.length - MEGABYTE), in.flip());
            assertEquals(-1, get(file.readAllAtAsync(in.clear(), file.length())));
            get(file.writeAllAtAsync(ByteBuffer.allocate(content.length), 100));
        }
        assertEquals(1, get(file.readSomeAsync(ByteBuffer.allocate(1))), "its own position has stayed");
        get(file.closeAsync());
    }

    // r[verify io.turn] r[verify io.cancel]
    @Test
    void othersHaveTheirTurnMeanwhileAndTheBufferTellsWhatACancelLeft() throws Exception {
        EventLoop loop = started();
        FileHandle file =
                get(FileHandle.open(loop, folder.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        ByteBuffer much = ByteBuffer.allocateDirect(8 * MEGABYTE);
        CompletableFuture<Throwable> cancelled = new CompletableFuture<>();
        Operation write = Operation.of(done -> cancelled.complete(done.failure()));
        on(loop, () -> {
            file.writeAllAt(much, 0, write);
            // Before the next iteration.
            write.cancel();
            return true;
        });
        assertInstanceOf(CancellationException.class, get(cancelled));
        assertTrue(much.position() > 0 && much.hasRemaining(), much::toString);
        assertEquals(much.position(), file.length());
        get(file.closeAsync());
    }

    @Test
    void appendingAndTruncatingAreWhatTheySay() throws Exception {
        EventLoop loop = started();
        Path path = Files.writeString(folder.resolve("file"), "old");
        FileHandle append = get(FileHandle.open(loop, path, StandardOpenOption.APPEND));
        get(append.writeAllAsync(LoopCase.bytes("new")));
        get(append.closeAsync());
        assertEquals("oldnew", Files.readString(path));
        FileHandle truncated =
                get(FileHandle.open(loop, path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
        get(truncated.closeAsync());
        assertEquals("", Files.readString(path));
    }

    /** pwrite(2), BUGS: Linux appends, and ignores the position. */
    @Test
    void aPositionIsRefusedWhereTheKernelWouldIgnoreIt() throws Exception {
        EventLoop loop = started();
        Path path = Files.writeString(folder.resolve("file"), "old");
        FileHandle append = get(FileHandle.open(loop, path, StandardOpenOption.APPEND, StandardOpenOption.READ));
        assertMessage(
                assertThrows(IllegalStateException.class, () -> append.writeAtAsync(LoopCase.bytes("new"), 1)),
                "APPEND");
        assertMessage(
                assertThrows(IllegalStateException.class, () -> append.writeAllAtAsync(LoopCase.bytes("new"), 100)),
                "position=100");
        ByteBuffer read = ByteBuffer.allocate(2);
        assertEquals(2, get(append.readAllAtAsync(read, 1)));
        get(append.writeAllAsync(LoopCase.bytes("new")));
        get(append.closeAsync());
        assertEquals("oldnew", Files.readString(path));
    }

    @Test
    void whatCannotBeOpenedSaysWhichPathAndWhy() {
        EventLoop loop = started();
        NoSuchFileException missing = assertInstanceOf(
                NoSuchFileException.class, failureOf(FileHandle.open(loop, folder.resolve("missing"))));
        assertEquals(folder.resolve("missing").toString(), missing.getFile());
        assertMessage(missing, "missing");
        assertMessage(missing, "no such file");
        assertEquals(
                "ENOENT",
                assertInstanceOf(SyscallException.class, missing.getCause()).errnoName());
        Path below = folder.resolve("missing").resolve("file");
        Throwable nowhere =
                failureOf(FileHandle.open(loop, below, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        assertMessage(assertInstanceOf(NoSuchFileException.class, nowhere), "directory");
        SyscallException exists = assertInstanceOf(
                SyscallException.class,
                failureOf(FileHandle.open(loop, folder, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)));
        assertEquals("EEXIST", exists.errnoName());
        assertThrows(
                IllegalArgumentException.class,
                () -> FileHandle.open(loop, folder, StandardOpenOption.DELETE_ON_CLOSE));
    }

    @Test
    void aNegativePositionIsRefusedAtTheCall() throws Exception {
        EventLoop loop = started();
        FileHandle file = get(FileHandle.open(loop, Files.writeString(folder.resolve("file"), "x")));
        assertThrows(IllegalArgumentException.class, () -> file.readAtAsync(ByteBuffer.allocate(1), -1));
        assertThrows(IllegalArgumentException.class, () -> file.readAllAtAsync(ByteBuffer.allocate(1), -1));
        assertThrows(IllegalArgumentException.class, () -> file.writeAllAtAsync(ByteBuffer.allocate(1), -1));
        get(file.closeAsync());
    }

    @Test
    void whatKeepsAndWhatDropsTheContentIsNotAskedForTogether() throws Exception {
        EventLoop loop = started();
        Path path = Files.writeString(folder.resolve("file"), "old");
        assertMessage(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> FileHandle.open(
                                loop, path, StandardOpenOption.APPEND, StandardOpenOption.TRUNCATE_EXISTING)),
                "choose one");
        assertEquals("old", Files.readString(path));
    }
}
