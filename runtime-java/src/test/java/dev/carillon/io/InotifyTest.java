package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.io.Inotify.Change;
import dev.carillon.io.Inotify.Kind;
import dev.carillon.loop.BackendKind;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.FileNames;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens in a folder is told in order, and can be waited for. */
final class InotifyTest extends LoopCase {
    @TempDir
    private Path folder;

    @Override
    protected BackendKind backend() {
        return BackendKind.EPOLL;
    }

    @Test
    void whatCannotBeWatchedSaysWhy() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        try (Inotify inotify = Inotify.open()) {
            assertMessage(
                    assertThrows(SyscallException.class, () -> inotify.add(file)),
                    "path=" + file + ": that is no folder, or a part of the path is none; give the folder it is in");
            assertMessage(
                    assertThrows(SyscallException.class, () -> inotify.add(folder.resolve("none"))),
                    "there is no such folder; create it before");
        }
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
        EventLoop loop = started();
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
    void aFolderThatIsRenamedIsToldOnceAndNoChangeHasItsOldPath() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Path renamed = folder.resolve("renamed");
        try (Inotify inotify = Inotify.open()) {
            inotify.add(inner);
            Files.createFile(inner.resolve("before"));
            Files.move(inner, renamed);
            Files.createFile(renamed.resolve("after"));
            List<Change> changes = inotify.poll();
            assertEquals(
                    List.of(
                            new Change(Kind.CREATED, inner.resolve("before"), false),
                            new Change(Kind.WRITTEN, inner.resolve("before"), false),
                            new Change(Kind.FOLDER_MOVED, inner, true)),
                    changes);
            inotify.add(renamed);
            Files.createDirectory(renamed.resolve("again"));
            assertEquals(List.of(new Change(Kind.CREATED, renamed.resolve("again"), true)), inotify.poll());
        }
    }

    /** While a poll tells a change the next one comes, so one that reads on until nothing is there tells many. */
    @Test
    void aPollTellsWhatWasThereWhenItBegan() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        AtomicInteger made = new AtomicInteger();
        Path growing = (Path) Proxy.newProxyInstance(
                InotifyTest.class.getClassLoader(), new Class<?>[] {Path.class}, (self, method, arguments) -> {
                    if (method.getName().equals("resolve") && made.get() < 1_000) {
                        Files.createDirectory(inner.resolve("more" + made.incrementAndGet()));
                    }
                    return method.invoke(inner, arguments);
                });
        try (Inotify inotify = Inotify.open()) {
            inotify.add(growing);
            Files.createDirectory(inner.resolve("more0"));
            for (int i = 0; i < 10; i++) {
                assertEquals(List.of(new Change(Kind.CREATED, inner.resolve("more" + i), true)), inotify.poll());
            }
        }
    }

    @Test
    void aPollEndsAlthoughChangesGoOn() throws Exception {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> writers = new ArrayList<>();
        try (Inotify inotify = Inotify.open()) {
            inotify.add(inner);
            for (int i = 0; i < 2; i++) {
                Path file = inner.resolve("file" + i);
                Thread writer = new Thread(() -> rewrite(file, stop));
                writer.start();
                writers.add(writer);
            }
            for (int i = 0; i < 50; i++) {
                Deadline.call(LIMIT, inotify::poll);
            }
        } finally {
            stop.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
        }
    }

    private static void rewrite(Path file, AtomicBoolean stop) {
        try {
            while (!stop.get()) {
                Files.writeString(file, "text");
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // r[verify sys.names]
    @Test
    void underTheLocaleCNoNameLosesAChange() throws Exception {
        for (Jdk jdk :
                Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).toList()) {
            Path inner = Files.createTempDirectory(folder, "names");
            try (ChildProcess child = ChildJvm.of(Watching.class)
                    .jdk(jdk)
                    .args(inner.toString())
                    .environment("LC_ALL", "C")
                    .start()) {
                ChildExit exit = child.awaitExit(Duration.ofSeconds(30));
                assertEquals(List.of("CREATED ok", "CREATED c3a4", "CREATED ff"), exit.stdout(), exit::toString);
            }
        }
    }

    /** Makes files whose names are no text of its locale, and tells their bytes. */
    static final class Watching {
        private Watching() {}

        public static void main(String[] args) throws Exception {
            Path here = Path.of(args[0]);
            try (Inotify inotify = Inotify.open()) {
                inotify.add(here);
                for (byte[] name : new byte[][] {{'o', 'k'}, {(byte) 0xc3, (byte) 0xa4}, {(byte) 0xff}}) {
                    Files.createDirectory(here.resolve(FileNames.pathOf(name)));
                }
                for (Change change : inotify.poll()) {
                    Path path = Objects.requireNonNull(change.path());
                    byte[] name = FileNames.bytesOf(Objects.requireNonNull(path.getFileName()));
                    System.out.println(change.kind() + " "
                            + (Files.exists(path) && name[0] > 0
                                    ? new String(name, StandardCharsets.US_ASCII)
                                    : HexFormat.of().formatHex(name)));
                }
            }
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
