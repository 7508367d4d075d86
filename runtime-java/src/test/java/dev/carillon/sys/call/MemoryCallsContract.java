package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.MADV_DONTFORK;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Mappings, and waiting on them. */
abstract class MemoryCallsContract extends SysContract {
    private static final int SIZE = 8192;
    private static final long MILLISECOND = 1_000_000;

    MemoryCallsContract(LibC libc) {
        super(libc);
    }

    private long mapped(int fd) {
        long address = sys.memory().mapShared(fd, 0, SIZE, PROT_READ | PROT_WRITE);
        closing(() -> sys.memory().unmap(address, SIZE));
        return address;
    }

    @Test
    void twoMappingsOfOneFileAreTheSameMemory() {
        int fd = number(sys.files().memory("shared"));
        sys.files().truncate(fd, SIZE);
        ByteBuffer one = libc.view(mapped(fd), SIZE);
        ByteBuffer other = libc.view(mapped(fd), SIZE);
        one.putLong(4096, 0x0123_4567_89ab_cdefL);
        assertEquals(0x0123_4567_89ab_cdefL, other.getLong(4096));
    }

    @Test
    void memoryOfOurOwnIsProtectedAndUnmapped() {
        long address = sys.memory().mapPrivate(SIZE, PROT_READ | PROT_WRITE);
        assertEquals(0, libc.view(address, SIZE).getLong(0));
        sys.memory().protect(address, SIZE, PROT_READ);
        int event = number(sys.clocks().event(1));
        SyscallException e =
                assertThrows(SyscallException.class, () -> sys.descriptors().read(event, address, 8));
        assertEquals(Errno.EFAULT, e.errno());
        assertEquals(0, sys.memory().advise(address, SIZE, MADV_DONTFORK));
        sys.memory().unmap(address, SIZE);
        assertThrows(SyscallException.class, () -> sys.memory().protect(address, SIZE, PROT_READ));
    }

    @Test
    void aMappingThatCannotBeSaysWhatWasAskedFor() {
        SyscallException e =
                assertThrows(SyscallException.class, () -> sys.memory().mapPrivate(1L << 60, PROT_READ));
        assertTrue(e.toString().contains("mmap failed: ENOMEM (12): length=1152921504606846976"), e::toString);
        assertThrows(IllegalArgumentException.class, () -> sys.memory().mapPrivate(0, PROT_READ));
        assertThrows(IllegalArgumentException.class, () -> sys.memory().mapShared(-1, 0, 1, PROT_READ));
    }

    @Test
    void aWaiterIsWokenThroughAnotherMapping() throws Exception {
        int fd = number(sys.files().memory("futex"));
        sys.files().truncate(fd, SIZE);
        long waiting = mapped(fd);
        long waking = mapped(fd);
        CompletableFuture<Integer> waiter =
                CompletableFuture.supplyAsync(() -> sys.futexes().await(waiting, 0));
        long deadline = System.nanoTime() + 30_000 * MILLISECOND;
        while (sys.futexes().wake(waking, 1) == 0) {
            assertTrue(System.nanoTime() < deadline, "nobody waited for 30 s");
        }
        assertEquals(0, waiter.get(30, TimeUnit.SECONDS));
    }

    @Test
    void anotherValueAndTheEndOfTheTimeAreValues() {
        memory.bytes().putInt(0, 5);
        assertEquals(-Errno.EAGAIN, sys.futexes().await(at(0), 4));
        long deadline = System.nanoTime() + 3 * MILLISECOND;
        assertEquals(-Errno.ETIMEDOUT, sys.futexes().awaitUntil(at(0), 5, deadline));
        assertTrue(System.nanoTime() >= deadline);
        assertEquals(-Errno.ETIMEDOUT, sys.futexes().awaitUntil(at(0), 5, -1));
        assertEquals(0, sys.futexes().wake(at(0), 1));
    }

    @Test
    void aWordThatIsNotAlignedDoesNotReachTheKernel() {
        assertThrows(IllegalArgumentException.class, () -> sys.futexes().await(at(2), 0));
        assertThrows(IllegalArgumentException.class, () -> sys.futexes().wake(0, 1));
    }
}
