package dev.carillon.sys.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpenedPairTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

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
        assertTrue(
                Deadline.after(LIMIT).poll(() -> Descriptors.count() <= before), () -> "open: " + Descriptors.open());
    }

    @Test
    void anErrorOfTheVmBeforeTheCallClosesNothing() {
        Fd[] earlier = OpenedPair.of(libc, "pipe2", numbers -> libc.pipe2(numbers, 0));
        Map<Integer, String> before = Descriptors.open();
        assertThrows(
                OutOfMemoryError.class,
                () -> OpenedPair.of(libc, "pipe2", numbers -> {
                    throw new OutOfMemoryError("before the call");
                }));
        Map<Integer, String> after = Descriptors.open();
        for (Fd end : earlier) {
            int number = end.acquire();
            assertEquals(before.get(number), after.get(number), "its number was in the memory still");
            end.release();
            end.close();
        }
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
