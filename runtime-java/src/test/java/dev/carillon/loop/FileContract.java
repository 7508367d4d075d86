package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.SyscallException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files. */
abstract class FileContract extends LoopCase {
    @TempDir
    private Path folder;

    // r[verify io.file]
    @Test
    void whatIsWrittenIsRead() throws Exception {
        PollingLoop loop = started();
        Path path = folder.resolve("file");
        FileHandle file = get(FileHandle.open(
                loop, path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ));
        assertEquals(10L, get(file.writeAllAsync(StreamContract.bytes("01234"), StreamContract.direct("56789"))));
        assertEquals(10, file.length());
        ByteBuffer part = ByteBuffer.allocate(3);
        assertEquals(3, get(file.readAtAsync(part, 4)));
        assertEquals("456", StreamContract.text(part));
        assertEquals(-1, get(file.readSomeAsync(ByteBuffer.allocate(4))));
        assertEquals(2, get(file.writeAtAsync(StreamContract.bytes("xy"), 8)));
        assertEquals("01234567xy", Files.readString(path));
        get(file.closeAsync());
    }

    @Test
    void appendingAndTruncatingAreWhatTheySay() throws Exception {
        PollingLoop loop = started();
        Path path = Files.writeString(folder.resolve("file"), "old");
        FileHandle append = get(FileHandle.open(loop, path, StandardOpenOption.APPEND));
        get(append.writeAllAsync(StreamContract.bytes("new")));
        get(append.closeAsync());
        assertEquals("oldnew", Files.readString(path));
        FileHandle truncated =
                get(FileHandle.open(loop, path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
        get(truncated.closeAsync());
        assertEquals("", Files.readString(path));
    }

    @Test
    void whatCannotBeOpenedSaysWhichPathAndWhy() {
        PollingLoop loop = started();
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
        PollingLoop loop = started();
        FileHandle file = get(FileHandle.open(loop, Files.writeString(folder.resolve("file"), "x")));
        assertThrows(IllegalArgumentException.class, () -> file.readAtAsync(ByteBuffer.allocate(1), -1));
        get(file.closeAsync());
    }

    @Test
    void whatKeepsAndWhatDropsTheContentIsNotAskedForTogether() throws Exception {
        PollingLoop loop = started();
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
