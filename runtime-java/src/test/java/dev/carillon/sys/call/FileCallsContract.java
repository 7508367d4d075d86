package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.F_SEAL_GROW;
import static dev.carillon.sys.layout.Constants.F_SEAL_SHRINK;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_DIRECTORY;
import static dev.carillon.sys.layout.Constants.O_RDONLY;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

abstract class FileCallsContract extends SysContract {
    private final FileCalls calls = sys.files();

    @TempDir
    private Path folder;

    FileCallsContract(LibC libc) {
        super(libc);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileIsMadeWrittenAndReadByBothWaysOfOpening(boolean openat2) throws Exception {
        Path file = folder.resolve("glocke-äöü");
        int fd = number(calls.open(file.toString(), O_RDWR | O_CREAT, 0600, openat2));
        memory.bytes().putLong(0, 7);
        assertEquals(8, sys.descriptors().write(fd, at(0), 8));
        assertEquals(8, Files.size(file));
        FileStatus status = calls.status(fd);
        assertEquals(8, status.size());
        assertEquals(0600, status.mode() & 0777);
        assertTrue(status.isRegular());
        assertFalse(status.isSocket());
        assertEquals(1, status.links());
        assertEquals(sys.processes().uid(), status.uid());
        assertEquals(Files.getAttribute(file, "unix:ino"), status.inode());
        assertTrue(calls.unlink(file));
        assertFalse(calls.unlink(file));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatIsNotThereFailsWithItsPath(boolean openat2) {
        String path = folder.resolve("missing").toString();
        SyscallException e = assertThrows(SyscallException.class, () -> calls.open(path, O_RDONLY, 0, openat2));
        assertEquals(Errno.ENOENT, e.errno());
        assertTrue(e.toString().endsWith("ENOENT (2): path=" + path), e::toString);
    }

    @Test
    void aFolderIsMadeOnceAndRemovedWhenItIsEmpty() throws Exception {
        Path made = folder.resolve("made-äöü");
        assertTrue(calls.makeFolder(made, 0700));
        assertFalse(calls.makeFolder(made, 0700));
        FileStatus status = calls.status(number(calls.open(made, O_RDONLY | O_DIRECTORY, 0)));
        assertTrue(status.isFolder());
        assertEquals(0700, status.permissions());
        assertFalse(status.isSameFile(calls.status(number(calls.open(folder, O_RDONLY | O_DIRECTORY, 0)))));
        FileStatus byName = Objects.requireNonNull(calls.statusOf(made));
        assertTrue(byName.isSameFile(status));
        assertEquals(status, byName);
        assertNull(calls.statusOf(made.resolve("missing")));
        Path inside = Files.createFile(made.resolve("inside"));
        calls.permissions(inside, 0601);
        assertEquals(0601, (int) Files.getAttribute(inside, "unix:mode") & 0777);
        assertFalse(calls.removeFolder(made));
        assertNull(calls.statusOf(inside.resolve("below")));
        assertTrue(calls.unlink(inside));
        assertTrue(calls.removeFolder(made));
        assertFalse(calls.removeFolder(made));
        SyscallException e = assertThrows(SyscallException.class, () -> calls.permissions(inside, 0600));
        assertTrue(e.toString().contains("fchmodat failed: ENOENT (2): path=" + inside), e::toString);
        e = assertThrows(SyscallException.class, () -> calls.makeFolder(inside, 0700));
        assertTrue(e.toString().contains("mkdirat failed: ENOENT (2): path=" + inside), e::toString);
    }

    @Test
    void aLockIsOfOneOpeningAndEndsWithIt() {
        Fd first = calls.open(folder, O_RDONLY | O_DIRECTORY, 0);
        int second = number(calls.open(folder, O_RDONLY | O_DIRECTORY, 0));
        int number = first.acquire();
        assertTrue(calls.tryLock(number));
        assertTrue(calls.tryLock(number));
        first.release();
        assertFalse(calls.tryLock(second));
        first.close();
        assertTrue(calls.tryLock(second));
    }

    // r[verify sys.text]
    @Test
    void aPathWithANulIsRejectedBeforeTheCall() throws Exception {
        String path = folder.resolve("a").toString();
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> calls.open(path + "\0.txt", O_RDWR | O_CREAT, 0600));
        assertEquals("path has a NUL in it, at index " + path.length() + ", where C would end it", e.getMessage());
        assertFalse(Files.exists(Path.of(path)));
        assertThrows(IllegalArgumentException.class, () -> calls.memory("a\0b"));
    }

    @Test
    void sealedMemoryKeepsItsSize() {
        int fd = number(calls.memory("sealed"));
        calls.truncate(fd, 4096);
        calls.allocate(fd, 0, 4096);
        assertEquals(4096, calls.status(fd).size());
        assertEquals(0, calls.seals(fd));
        calls.addSeals(fd, F_SEAL_GROW | F_SEAL_SHRINK);
        assertEquals(F_SEAL_GROW | F_SEAL_SHRINK, calls.seals(fd));
        SyscallException e = assertThrows(SyscallException.class, () -> calls.truncate(fd, 0));
        assertEquals(Errno.EPERM, e.errno());
    }

    @Test
    void aFullFileSystemIsAnErrorWithAdvice() throws Exception {
        int fd = number(calls.open("/dev/full", O_RDWR, 0));
        SyscallException e =
                assertThrows(SyscallException.class, () -> sys.descriptors().write(fd, at(0), 8));
        assertTrue(e.toString().contains("write failed: ENOSPC (28): the file system is full"), e::toString);
    }

    @Test
    void negativeLengthsDoNotReachTheKernel() {
        int fd = number(calls.memory("negative"));
        assertThrows(IllegalArgumentException.class, () -> calls.truncate(fd, -1));
        assertThrows(IllegalArgumentException.class, () -> calls.allocate(fd, -1, 1));
        assertThrows(IllegalArgumentException.class, () -> calls.status(-1));
    }
}
