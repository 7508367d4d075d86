package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.test.ChildCommand;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a region is when it could be made. */
abstract class RegionCreationContract extends RegionCase {
    // r[verify memory.size]
    @Test
    void whatIsCreatedHasWholePagesOfZeros() {
        try (MemoryRegion region = regions.anonymous(PAGE + 1, false)) {
            assertEquals(2 * PAGE, region.size());
            assertEquals(2 * PAGE, region.bytes().size());
            assertEquals(0, region.bytes().getLong(2 * PAGE - Long.BYTES));
            region.bytes().putLong(2 * PAGE - Long.BYTES, 1);
            assertEquals(Access.READ_WRITE, region.access());
        }
    }

    @Test
    void sharedAnonymousMemoryIsMappedShared() {
        try (MemoryRegion region = regions.anonymous(PAGE, true)) {
            region.bytes().putInt(0, 1);
            assertTrue(
                    dev.carillon.test.proc.Mapping.all().stream()
                            .anyMatch(mapping ->
                                    mapping.shared() && mapping.path().startsWith("/dev/zero")),
                    "no shared anonymous mapping");
        }
    }

    @Test
    void theBufferIsInNativeOrderAndSeesTheSameBytes() {
        try (MemoryRegion region = regions.anonymous(PAGE, false)) {
            region.bytes().putLong(8, 42);
            assertEquals(ByteOrder.nativeOrder(), region.buffer().order());
            assertEquals(42, region.buffer().getLong(8));
            assertEquals(PAGE, region.buffer().remaining());
        }
    }

    // r[verify memory.seal]
    @Test
    void aSealedMemfdCannotBeMadeShorterOrLonger() {
        try (MemoryRegion region = regions.memfd("sealed", PAGE, EnumSet.allOf(Seal.class))) {
            assertEquals(EnumSet.allOf(Seal.class), region.seals());
            int fd = region.fd();
            assertEquals(
                    Errno.EPERM,
                    assertThrows(SyscallException.class, () -> sys.files().truncate(fd, 0))
                            .errno());
            assertEquals(
                    Errno.EPERM,
                    assertThrows(SyscallException.class, () -> sys.files().truncate(fd, 2 * PAGE))
                            .errno());
            assertFalse(region.isTruncated());
        }
    }

    @Test
    void aMemfdHasOnlyTheSealsThatWereAskedFor() {
        try (MemoryRegion region = regions.memfd("half", PAGE, EnumSet.of(Seal.GROW))) {
            assertEquals(Set.of(Seal.GROW), region.seals());
            sys.files().truncate(region.fd(), 0);
            assertTrue(region.isTruncated());
        }
    }

    @Test
    void aDescriptorIsCopiedAndSharesItsBytes() {
        try (MemoryRegion first = regions.memfd("shared", PAGE, EnumSet.allOf(Seal.class));
                MemoryRegion second = regions.ofDescriptor(first.fd(), Access.READ_WRITE)) {
            assertTrue(first.fd() != second.fd(), "the same number twice");
            assertTrue(sys.descriptors().isCloseOnExec(second.fd()));
            first.bytes().putLongRelease(0, 17);
            assertEquals(17, second.bytes().getLongAcquire(0));
        }
    }

    // r[verify memory.reserve]
    @Test
    void aNewFileIsItsOwnersAndHasStorageForAllBytes() throws IOException {
        Path path = folder.resolve("new");
        try (MemoryRegion region = regions.createFile(path, 3 * PAGE)) {
            region.bytes().putInt(PAGE, 5);
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            assertEquals(3 * PAGE, Files.size(path));
            assertEquals("24", blocksOf(path), "blocks of 512 bytes");
            assertEquals(Set.of(), region.seals());
        }
        assertEquals(5, intAt(path, PAGE));
    }

    @Test
    void anExistingFileIsMappedAsLongAsItIs() throws IOException {
        Path path = Files.write(folder.resolve("old"), new byte[100]);
        try (MemoryRegion region = regions.openFile(path, Access.READ_WRITE)) {
            assertEquals(100, region.size());
            assertThrows(IndexOutOfBoundsException.class, () -> region.bytes().getByte(100));
            region.bytes().putInt(96, 3);
        }
        assertEquals(3, intAt(path, 96));
        assertEquals(100, Files.size(path));
    }

    @Test
    void openOrCreateTakesTheFileThatIsThereAndMakesItLongEnough() throws IOException {
        Path path = folder.resolve("either");
        try (MemoryRegion created = regions.openOrCreateFile(path, PAGE)) {
            created.bytes().putInt(0, 9);
        }
        try (MemoryRegion opened = regions.openOrCreateFile(path, 2 * PAGE)) {
            assertEquals(9, opened.bytes().getInt(0));
            assertEquals(2 * PAGE, opened.size());
        }
        assertEquals(2 * PAGE, Files.size(path));
    }

    // r[verify memory.read-only]
    @Test
    void aReadOnlyRegionRefusesEachWrite() throws IOException {
        Path path = Files.write(folder.resolve("read"), new byte[PAGE]);
        try (MemoryRegion region = regions.openFile(path, Access.READ_ONLY)) {
            for (AccessTable access : AccessTable.ALL) {
                if (access.writes()) {
                    assertThrows(ReadOnlyBufferException.class, () -> access.at(region.bytes(), 0), access.name());
                } else {
                    access.at(region.bytes(), 0);
                }
            }
            OrderedBytes slice = region.bytes().slice(8, 8);
            assertThrows(ReadOnlyBufferException.class, () -> slice.putLong(0, 1));
            assertThrows(ReadOnlyBufferException.class, () -> slice.putBytes(0, new byte[8], 0, 8));
            assertThrows(ReadOnlyBufferException.class, () -> region.buffer().put(0, (byte) 1));
        }
    }

    private static String blocksOf(Path path) {
        return ChildCommand.of("stat", "-c", "%b", path.toString())
                .run(Duration.ofSeconds(20))
                .stdout()
                .get(0);
    }

    private static int intAt(Path path, int offset) throws IOException {
        return java.nio.ByteBuffer.wrap(Files.readAllBytes(path))
                .order(ByteOrder.nativeOrder())
                .getInt(offset);
    }
}
