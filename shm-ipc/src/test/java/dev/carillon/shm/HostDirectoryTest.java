package dev.carillon.shm;

import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a host with a directory may live. */
// r[verify shm.host.directory]
final class HostDirectoryTest {
    private static final int NOBODY = 65_534;

    @TempDir
    private Path folder;

    private Path directory;

    @BeforeEach
    void nameDirectory() {
        directory = folder.resolve("host");
    }

    private ShmHost create() {
        return ShmHost.create(directory, HostConfig.defaults());
    }

    private void assertRefused(String why) {
        int before = Descriptors.count();
        RuntimeException refused = assertThrows(RuntimeException.class, this::create);
        assertTrue(refused.toString().contains(why), refused::toString);
        assertTrue(refused.toString().contains(directory.toString()), refused::toString);
        Deadline.after(LinkPair.LIMIT).await("nothing is left open", () -> Descriptors.count() <= before);
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 0777;
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> all = Files.list(in)) {
            return all.map(each -> each.getFileName().toString()).sorted().collect(toList());
        }
    }

    @Test
    void aDirectoryIsMadeForThisUserAloneAndRemovedByTheClose() throws Exception {
        try (ShmHost host = create()) {
            assertEquals(0700, mode(directory));
            assertEquals(List.of("socket"), names(directory));
            assertEquals(0600, mode(directory.resolve("socket")));
            assertTrue(host.peers().isEmpty());
        }
        assertFalse(Files.exists(directory));
    }

    @Test
    void aSecondHostOnOnePathIsRefusedAndTheFirstLivesOn() throws Exception {
        try (ShmHost first = create()) {
            assertRefused("another host lives there");
            assertRefused("another host lives there");
            assertEquals(List.of("socket"), names(directory));
            ShmGuest.connect(directory).close();
            assertTrue(first.peers().size() <= 1);
        }
        create().close();
    }

    /** One host makes the directory, and another one locks it before: the first must not remove it then. */
    @Test
    void hostsThatComeAndGoNeverHaveTheDirectoryAtOnce() {
        AtomicInteger hosts = new AtomicInteger();
        List<CompletableFuture<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(CompletableFuture.supplyAsync(() -> comeAndGo(hosts), task -> new Thread(task).start()));
        }
        int claimed = threads.stream().mapToInt(Futures::get).sum();
        assertTrue(claimed > 0, "nobody had it");
        assertFalse(Files.exists(directory));
    }

    private int comeAndGo(AtomicInteger hosts) {
        int claimed = 0;
        for (int i = 0; i < 4_000; i++) {
            try (HostFolder mine = HostFolder.claim(directory)) {
                assertEquals(1, hosts.incrementAndGet());
                // As a socket is bound: there must be the directory, and none of another host.
                Files.createFile(mine.socket());
                claimed++;
                hosts.decrementAndGet();
            } catch (IllegalStateException inUse) {
                assertTrue(inUse.toString().contains("another host lives there"), inUse::toString);
            } catch (IOException notOurs) {
                throw new AssertionError(notOurs);
            }
        }
        return claimed;
    }

    @Test
    void anEmptyDirectoryAndThatOfADeadHostAreTaken() throws Exception {
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0700);
        create().close();
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0700);
        Files.createFile(directory.resolve("socket"));
        try (ShmHost host = create()) {
            ShmGuest.connect(directory).close();
            assertTrue(host.toString().startsWith("ShmHost"));
        }
        assertFalse(Files.exists(directory));
    }

    /** It was killed after its program had let guests of other users pass. */
    @Test
    void aDirectoryThroughWhichADeadHostLetOthersPassIsTakenAndClosedToThem() throws Exception {
        for (int mode : new int[] {0711, 0710, 0701}) {
            Files.createDirectory(directory);
            Files.createFile(directory.resolve("socket"));
            Files.setAttribute(directory, "unix:mode", mode);
            try (ShmHost host = create()) {
                assertEquals(0700, mode(directory), host::toString);
                ShmGuest.connect(directory).close();
            }
        }
    }

    @Test
    void aDirectoryWithSomethingElseInItIsRefusedAndKeptAsItIs() throws Exception {
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0700);
        Files.createFile(directory.resolve("socket"));
        Files.createFile(directory.resolve("letter"));
        assertRefused("has letter in it");
        assertEquals(List.of("letter", "socket"), names(directory));
    }

    @Test
    void whatOnlyLooksLikeAFileOfAHostIsRefusedAndKept() throws Exception {
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0700);
        for (String name : List.of("link-0", "link-01", "link-256", "link-1x")) {
            Path foreign = Files.createFile(directory.resolve(name));
            assertRefused("has " + name + " in it");
            Files.delete(foreign);
        }
        for (String name : List.of("link-1", "socket")) {
            Path foreign = Files.createDirectory(directory.resolve(name));
            assertRefused("has " + name + " in it");
            Files.delete(foreign);
        }
        Files.createFile(directory.resolve("link-1"));
        Files.createFile(directory.resolve("link-255"));
        create().close();
        assertFalse(Files.exists(directory));
    }

    @Test
    void aCloseLeavesWhatSomebodyElsePutThere() throws Exception {
        try (ShmHost host = create()) {
            Files.createFile(directory.resolve("letter"));
            assertTrue(host.peers().isEmpty());
        }
        assertEquals(List.of("letter"), names(directory));
    }

    @Test
    void aCloseTouchesNoOtherDirectoryInItsPlace() throws Exception {
        try (ShmHost host = create()) {
            Files.move(directory, folder.resolve("moved"));
            Files.createDirectory(directory);
            Files.createFile(directory.resolve("socket"));
            assertTrue(host.peers().isEmpty());
        }
        assertEquals(List.of("socket"), names(directory));
    }

    @Test
    void aSymbolicLinkIsRefusedAlsoOneToADirectory() throws Exception {
        Path real = Files.createDirectory(folder.resolve("real"));
        Files.setAttribute(real, "unix:mode", 0700);
        Files.createSymbolicLink(directory, real);
        assertRefused("is a symbolic link");
        assertEquals(List.of(), names(real));
    }

    @Test
    void aFileIsRefused() throws Exception {
        Files.createFile(directory);
        assertRefused("is no directory");
    }

    @Test
    void aDirectoryThatOthersMayEnterIsRefused() throws Exception {
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0755);
        assertRefused("has mode=755");
    }

    @Test
    void aDirectoryOfAnotherUserIsRefused() throws Exception {
        assumeTrue(Sys.get().processes().uid() == 0, "only root gives a directory away");
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0700);
        Files.setAttribute(directory, "unix:uid", NOBODY);
        assertRefused("belongs to uid=65534");
    }

    @Test
    void aPathBelowNothingIsRefused() {
        directory = folder.resolve("missing").resolve("host");
        assertRefused("make the directory above it before");
    }

    @Test
    void aPathThatIsTooLongForASocketIsRefusedAndLeavesNothing() throws Exception {
        directory = folder.resolve("x".repeat(120));
        assertRefused("use a shorter directory");
        assertEquals(List.of(), names(folder));
    }

    @Test
    void whatIsNoPathOfAHostIsNoHostForAGuest() throws Exception {
        IOException noHost = assertThrows(IOException.class, () -> ShmGuest.connect(directory));
        assertTrue(noHost.toString().contains("start the server first"), noHost::toString);
        Files.createDirectory(directory);
        Files.createFile(directory.resolve("socket"));
        noHost = assertThrows(IOException.class, () -> ShmGuest.connect(directory));
        assertTrue(noHost.toString().contains("nobody listens there"), noHost::toString);
        Path file = Files.createFile(folder.resolve("file"));
        SyscallException noFolder = assertThrows(SyscallException.class, () -> ShmGuest.connect(file));
        assertTrue(noFolder.toString().contains("a part of that path is no directory"), noFolder::toString);
    }
}
