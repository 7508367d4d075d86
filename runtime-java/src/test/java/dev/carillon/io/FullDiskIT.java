package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.BackendKind;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system of one megabyte that is full: whoever writes there is told so. */
final class FullDiskIT extends LoopCase {
    private static final int MEGABYTE = 1 << 20;

    @TempDir
    private Path folder;

    private Path disk;

    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @BeforeEach
    void mount() throws IOException {
        disk = Files.createDirectory(folder.resolve("disk"));
        ChildExit mounted = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString());
        Assumptions.assumeTrue(
                mounted.code() == 0, () -> "no small file system can be mounted (only root can): " + mounted);
    }

    @AfterEach
    void unmount() {
        run("umount", disk.toString());
    }

    private static ChildExit run(String... command) {
        try (ChildProcess child = ChildCommand.of(command).start()) {
            return child.awaitExit(Duration.ofSeconds(20));
        }
    }

    private static void assertFull(Throwable failure) {
        assertEquals("ENOSPC", assertInstanceOf(SyscallException.class, failure).errnoName());
        assertMessage(failure, "the file system is full");
    }

    // r[verify io.partial]
    @Test
    void aFileTakesWhatThereIsRoomForAndThenSaysThatTheDiskIsFull() throws IOException {
        EventLoop loop = started();
        Path path = disk.resolve("file");
        FileHandle file = get(FileHandle.open(loop, path, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        ByteBuffer much = ByteBuffer.allocateDirect(2 * MEGABYTE);
        Throwable failure = failureOf(file.writeAllAtAsync(much, 0));
        assertFull(failure);
        assertMessage(failure, file.toString());
        assertTrue(much.position() > 0 && much.hasRemaining(), much::toString);
        assertEquals(much.position(), Files.size(path));
        assertFull(failureOf(file.writeAtAsync(ByteBuffer.allocate(1), MEGABYTE)));
        get(file.closeAsync());
    }

    // r[verify io.file]
    @Test
    void sharedMemoryInAFileIsNotHadThere() throws IOException {
        Path path = disk.resolve("region");
        assertFull(assertThrows(SyscallException.class, () -> MemoryRegion.createFile(path, 2 * MEGABYTE)));
        Files.deleteIfExists(path);
        MemoryRegion.createFile(path, MEGABYTE / 2).close();
    }
}
