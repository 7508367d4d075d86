package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What cannot be a region says why, and leaves nothing behind. */
abstract class RegionRefusalContract extends RegionCase {
    @AfterEach
    void noDescriptorIsLeft() {
        List<String> left = Descriptors.open().values().stream()
                .filter(target -> target.startsWith(folder.toString()) || target.startsWith("/memfd:never"))
                .toList();
        assertEquals(List.of(), left);
    }

    // r[verify memory.size]
    @Test
    void sizesThatNoRegionCanHaveAreRefused() {
        Path path = folder.resolve("never");
        for (long size : List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, (1L << 31) - 4_095)) {
            assertThrows(IllegalArgumentException.class, () -> regions.anonymous(size, true), () -> "size=" + size);
            assertThrows(IllegalArgumentException.class, () -> regions.memfd("never", size, EnumSet.allOf(Seal.class)));
            assertThrows(IllegalArgumentException.class, () -> regions.createFile(path, size));
            assertThrows(IllegalArgumentException.class, () -> regions.openOrCreateFile(path, size));
        }
        assertFalse(Files.exists(path));
    }

    // r[verify memory.check-before-map]
    @Test
    void onlyRegularFilesAreMapped() throws IOException {
        assertEquals(Errno.EISDIR, errnoOf(() -> regions.openFile(folder, Access.READ_WRITE)));
        assertThrows(IllegalArgumentException.class, () -> regions.openFile(folder, Access.READ_ONLY));
        assertThrows(IllegalArgumentException.class, () -> regions.openFile(Path.of("/dev/zero"), Access.READ_WRITE));
        Fd[] pipe = sys.descriptors().pipe(false);
        try (Fd in = pipe[0];
                Fd out = pipe[1]) {
            int number = in.acquire();
            assertThrows(IllegalArgumentException.class, () -> regions.ofDescriptor(number, Access.READ_ONLY));
            in.release();
            assertTrue(out.isOpen());
        }
    }

    @Test
    void aNamedPipeIsRefusedWithoutWaitingForItsOtherEnd() {
        Path pipe = folder.resolve("pipe");
        try (ChildProcess mkfifo = ChildCommand.of("mkfifo", pipe.toString()).start()) {
            assertEquals(0, mkfifo.awaitExit(Duration.ofSeconds(20)).code());
        }
        assertThrows(IllegalArgumentException.class, () -> regions.openFile(pipe, Access.READ_ONLY));
    }

    @Test
    void anEmptyOrTooLongFileIsRefused() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThrows(IllegalArgumentException.class, () -> regions.openFile(empty, Access.READ_ONLY));
        Path huge = folder.resolve("huge");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(1L << 31);
        }
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> regions.openFile(huge, Access.READ_ONLY));
        assertTrue(refused.toString().contains("length=2147483648"), refused.toString());
    }

    @Test
    void aMissingFileAndAFileThatIsThereAreToldApart() throws IOException {
        Path path = folder.resolve("file");
        assertEquals(Errno.ENOENT, errnoOf(() -> regions.openFile(path, Access.READ_ONLY)));
        Files.write(path, new byte[] {1});
        assertEquals(Errno.EEXIST, errnoOf(() -> regions.createFile(path, PAGE)));
        assertEquals(1, Files.size(path));
        assertEquals(Errno.ENOENT, errnoOf(() -> regions.openOrCreateFile(folder.resolve("no/where"), PAGE)));
    }

    @Test
    void aDescriptorThatIsNotOpenIsRefused() {
        assertEquals(Errno.EBADF, errnoOf(() -> regions.ofDescriptor(1_000_000, Access.READ_ONLY)));
        assertThrows(IllegalArgumentException.class, () -> regions.ofDescriptor(-1, Access.READ_ONLY));
    }

    @Test
    void aReadOnlyDescriptorIsNotMappedForWriting() throws IOException {
        Path path = Files.write(folder.resolve("read"), new byte[PAGE]);
        try (MemoryRegion region = regions.openFile(path, Access.READ_ONLY)) {
            int number = region.fd();
            assertEquals(Errno.EACCES, errnoOf(() -> regions.ofDescriptor(number, Access.READ_WRITE)));
        }
    }

    @Test
    void aNameWithAZeroCharacterIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> regions.memfd("a\0b", PAGE, EnumSet.allOf(Seal.class)));
    }

    // r[verify memory.name]
    @Test
    void aNameThatIsTooLongIsRefusedAndNotShortened() {
        for (String name : List.of("n".repeat(249), "n".repeat(247) + "\u00fc", "")) {
            regions.memfd(name, PAGE, EnumSet.allOf(Seal.class)).close();
        }
        for (String name : List.of("n".repeat(250), "n".repeat(248) + "\u00fc", "n".repeat(5_000))) {
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> regions.memfd(name, PAGE, EnumSet.allOf(Seal.class)));
            assertTrue(String.valueOf(refusal.getMessage()).contains("249 at most"), refusal::toString);
        }
    }

    @Test
    void anonymousMemoryHasNoDescriptor() {
        try (MemoryRegion region = regions.anonymous(PAGE, true)) {
            assertThrows(UnsupportedOperationException.class, region::fd);
            assertThrows(UnsupportedOperationException.class, region::seals);
            assertFalse(region.isTruncated());
        }
    }

    // r[verify memory.ours]
    @Test
    void openOrCreateFollowsNoLink() throws IOException {
        Path victim = Files.write(folder.resolve("victim"), new byte[] {1});
        Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
        assertEquals(Errno.ELOOP, errnoOf(() -> regions.openOrCreateFile(link, PAGE)));
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nothing"));
        assertEquals(Errno.ELOOP, errnoOf(() -> regions.openOrCreateFile(dangling, PAGE)));
        assertEquals(1, Files.size(victim));
        assertFalse(Files.exists(folder.resolve("nothing")));
    }

    // r[verify memory.ours]
    @Test
    void openOrCreateTakesNoFileThatOthersMayWriteOrThatHasASecondName() throws IOException {
        Path open = Files.write(folder.resolve("open"), new byte[] {1});
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertRefused(open, "mode=666");
        Path named = Files.write(folder.resolve("named"), new byte[] {1});
        Files.setPosixFilePermissions(named, PosixFilePermissions.fromString("rw-------"));
        Files.createLink(folder.resolve("second"), named);
        assertRefused(named, "links=2");
        Files.delete(folder.resolve("second"));
        regions.openOrCreateFile(named, PAGE).close();
    }

    // r[verify memory.ours]
    @Test
    void openOrCreateTakesNoFileOfAnotherUser() throws IOException {
        Path foreign = Files.write(folder.resolve("foreign"), new byte[] {1});
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rw-------"));
        assumeTrue(sys.libc().getuid() == 0, "needs root to give a file to another user");
        Files.setAttribute(foreign, "unix:uid", 65_534);
        assertRefused(foreign, "belongs to uid=65534");
    }

    private void assertRefused(Path path, String part) throws IOException {
        IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> regions.openOrCreateFile(path, PAGE));
        assertTrue(refused.toString().contains(part), refused::toString);
        assertEquals(1, Files.size(path));
    }

    private static int errnoOf(Executable call) {
        return assertThrows(SyscallException.class, call).errno();
    }
}
