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
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
