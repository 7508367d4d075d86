package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.Inotify.Change;
import dev.carillon.loop.Inotify.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens in a folder is told in order, and can be waited for. */
final class InotifyTest extends LoopCase {
    @TempDir
    private Path folder;

    @Override
    Backend backend() {
        return Backend.EPOLL;
    }

    @Test
    void whatHappensIsToldInItsOrder() throws IOException {
        Path file = folder.resolve("a name, 42 \u00e4");
        Path other = folder.resolve("other");
        try (Inotify inotify = Inotify.open()) {
            inotify.add(folder);
            assertEquals(List.of(), inotify.poll());
            Files.writeString(file, "text");
            Files.move(file, other);
            Files.delete(other);
            Files.createDirectory(file);
            assertEquals(
                    List.of(
                            new Change(Kind.CREATED, file, false),
                            new Change(Kind.WRITTEN, file, false),
                            new Change(Kind.MOVED_AWAY, file, false),
                            new Change(Kind.MOVED_HERE, other, false),
                            new Change(Kind.DELETED, other, false),
                            new Change(Kind.CREATED, file, true)),
                    inotify.poll());
        }
    }

    @Test
    void aLoopWaitsForIt() throws IOException {
        PollingLoop loop = started();
        try (Inotify inotify = Inotify.open()) {
            inotify.add(folder);
            var ready = Descriptor.awaitReadable(loop, inotify.number());
            Files.createFile(folder.resolve("file"));
            get(ready);
            assertTrue(inotify.poll().size() >= 1);
        }
    }

    @Test
    void manyChangesFitIntoManyReads() throws IOException {
        int files = 5_000;
        List<Change> seen = new ArrayList<>();
        try (Inotify inotify = Inotify.open()) {
            inotify.add(folder);
            for (int i = 0; i < files; i++) {
                Files.createFile(folder.resolve("file-with-a-rather-long-name-" + i));
            }
            seen.addAll(inotify.poll());
        }
        assertEquals(
                files,
                seen.stream().filter(change -> change.kind() == Kind.CREATED).count());
    }

    @Test
    void aFolderThatGoesIsToldOnce() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        try (Inotify inotify = Inotify.open()) {
            inotify.add(inner);
            Files.delete(inner);
            assertEquals(List.of(new Change(Kind.FOLDER_GONE, inner, true)), inotify.poll());
        }
    }

    @Test
    void whatIsNoFolderOrClosedIsRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Inotify inotify = Inotify.open();
        assertMessage(assertThrows(SyscallException.class, () -> inotify.add(file)), "ENOTDIR");
        assertMessage(assertThrows(SyscallException.class, () -> inotify.add(folder.resolve("no"))), "ENOENT");
        inotify.close();
        inotify.close();
        assertThrows(ClosedException.class, inotify::number);
        assertThrows(ClosedException.class, inotify::poll);
        assertThrows(ClosedException.class, () -> inotify.add(folder));
    }
}
