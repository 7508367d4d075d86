package dev.carillon.sys.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.test.proc.Descriptors;
import org.junit.jupiter.api.Test;

class OpenedPairTest {
    private final LibC libc = LibC.get();

    // r[verify sys.owned]
    @Test
    void anErrorOfTheVmAfterTheCallLeavesNoDescriptor() {
        int before = Descriptors.count();
        OutOfMemoryError full = new OutOfMemoryError("after the call");
        OutOfMemoryError told = assertThrows(
                OutOfMemoryError.class,
                () -> OpenedPair.of(libc, "pipe2", numbers -> {
                    assertEquals(0, libc.pipe2(numbers, 0));
                    throw full;
                }));
        assertSame(full, told);
        assertEquals(before, Descriptors.count());
    }

    @Test
    void anErrorOfTheVmBeforeTheCallClosesNothing() {
        int before = Descriptors.count();
        assertThrows(
                OutOfMemoryError.class,
                () -> OpenedPair.of(libc, "pipe2", numbers -> {
                    throw new OutOfMemoryError("before the call");
                }));
        assertEquals(before, Descriptors.count());
    }

    @Test
    void aCallThatFailsIsAFailureOfThatCall() {
        SyscallException failure =
                assertThrows(SyscallException.class, () -> OpenedPair.of(libc, "pipe2", numbers -> -Errno.EMFILE));
        assertEquals(Errno.EMFILE, failure.errno());
    }

    @Test
    void anOwnerWithoutADescriptorIsClosedUntilItGetsOne() {
        Fd next = Fd.ofNext(libc, 1)[0];
        assertFalse(next.isOpen());
        assertThrows(ClosedException.class, next::acquire);
        next.close();
        int number = libc.eventfd(0, 0);
        next.own(number);
        assertEquals(number, next.acquire());
        next.release();
        next.close();
        assertFalse(next.isOpen());
    }
}
