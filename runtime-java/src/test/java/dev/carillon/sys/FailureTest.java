package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.SyscallException;
import org.junit.jupiter.api.Test;

// r[verify sys.failure]
final class FailureTest {
    @Test
    void aFailureNamesTheCallTheErrorAndItsNumber() {
        SyscallException e = Failure.of("epoll_ctl", -Errno.EEXIST);
        assertEquals("epoll_ctl failed: EEXIST (17)", e.getMessage());
        assertEquals("epoll_ctl", e.call());
        assertEquals(17, e.errno());
        assertEquals("EEXIST", e.errnoName());
    }

    @Test
    void aNumberThatNobodyKnowsIsPrintedAsOne() {
        assertEquals(
                "read failed: unknown errno (4711)", Failure.of("read", -4711).getMessage());
        assertEquals("unknown errno", Errno.name(41));
        assertEquals("unknown errno", Errno.name(0));
        assertEquals("unknown errno", Errno.name(-1));
    }

    @Test
    void aFailureSaysWhatItWasAboutAndWhatToDo() {
        assertEquals(
                "openat failed: EACCES (13): path=/x",
                Failure.of("openat", -Errno.EACCES, "path=/x").getMessage());
        assertEquals(
                "openat failed: EMFILE (24): path=/x; this process has as many descriptors as it may; raise the limit"
                        + " (ulimit -n)",
                Failure.of("openat", -Errno.EMFILE, "path=/x").getMessage());
    }

    @Test
    void everyErrorHasItsName() {
        assertEquals("EPERM", Errno.name(1));
        assertEquals("EAGAIN", Errno.name(11));
        assertEquals("EHWPOISON", Errno.name(133));
    }
}
