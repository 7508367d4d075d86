package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.ClosedException;
import org.junit.jupiter.api.Test;

final class FdTest {
    private final LibC libc = LibC.get();

    @Test
    void aDescriptorIsClosedWhenTheLastOneInsideLeaves() {
        Fd fd = Fd.owning(libc, libc.eventfd(0, 0));
        int number = fd.enter();
        fd.close();
        assertFalse(fd.isOpen());
        assertEquals(number, fstat(number));
        fd.leave();
        assertEquals(-Errno.EBADF, fstat(number));
    }

    @Test
    void aClosedDescriptorGivesItsNumberToNobody() {
        Fd fd = Fd.owning(libc, libc.eventfd(0, 0));
        fd.close();
        fd.close();
        assertThrows(ClosedException.class, fd::enter);
    }

    @Test
    void leavingWithoutEnteringIsABug() {
        try (Fd fd = Fd.owning(libc, libc.eventfd(0, 0))) {
            assertThrows(IllegalStateException.class, fd::leave);
        }
    }

    /** The number itself while it is open. */
    private int fstat(int number) {
        int result = libc.fcntl(number, 1, 0);
        return result < 0 ? result : number;
    }
}
