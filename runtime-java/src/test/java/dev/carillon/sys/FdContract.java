package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

abstract class FdContract {
    private static final int F_DUPFD = 0;
    private static final int F_GETFD = 1;
    private static final int HIGH = 800;
    private static final int NONBLOCK_CLOEXEC = 0x80800;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private LibC libc;

    abstract LibC libc();

    @BeforeEach
    void choose() {
        libc = libc();
    }

    private Fd event(int value) {
        return Fd.owning(libc, libc.eventfd(value, NONBLOCK_CLOEXEC));
    }

    /** With a number so high that the VM takes it for no file of its own when it is free. */
    private Fd highEvent() {
        try (Fd low = event(0)) {
            Fd high = Fd.owning(libc, libc.fcntl(low.acquire(), F_DUPFD, HIGH));
            low.release();
            return high;
        }
    }

    private boolean isOpen(int number) {
        return libc.fcntl(number, F_GETFD, 0) != -Errno.EBADF;
    }

    // r[verify sys.fd-reuse]
    @Test
    void aDescriptorIsClosedWhenTheLastOneInsideLeaves() {
        Fd fd = highEvent();
        int number = fd.acquire();
        assertEquals(number, fd.acquire());
        fd.close();
        assertFalse(fd.isOpen());
        fd.release();
        assertTrue(isOpen(number));
        assertThrows(ClosedException.class, fd::acquire);
        fd.release();
        assertFalse(isOpen(number));
    }

    @Test
    void aClosedDescriptorGivesItsNumberToNobody() {
        Fd fd = event(0);
        fd.close();
        ClosedException e = assertThrows(ClosedException.class, fd::acquire);
        assertTrue(e.toString().contains("used after it was closed"), e::toString);
    }

    // r[verify sys.fd-once]
    @Test
    void aDescriptorIsNeverClosedTwice() {
        Fd fd = highEvent();
        int number = fd.acquire();
        fd.release();
        fd.close();
        // Takes the number that has just become free.
        try (Fd stranger = Fd.owning(libc, libc.fcntl(0, F_DUPFD, number))) {
            fd.close();
            assertThrows(ClosedException.class, fd::acquire);
            assertTrue(isOpen(number));
            assertTrue(stranger.isOpen());
        }
    }

    @Test
    void twoThreadsThatCloseCloseOnce() throws Exception {
        for (int round = 0; round < 500; round++) {
            Fd fd = event(0);
            CountDownLatch start = new CountDownLatch(1);
            List<Throwable> failures = new ArrayList<>();
            List<Thread> closers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread closer = new Thread(() -> {
                    try {
                        start.await();
                        fd.close();
                    } catch (Throwable t) {
                        synchronized (failures) {
                            failures.add(t);
                        }
                    }
                });
                closers.add(closer);
                closer.start();
            }
            start.countDown();
            for (Thread closer : closers) {
                closer.join(LIMIT.toMillis());
            }
            assertEquals(List.of(), failures);
        }
    }

    @Test
    void leavingWithoutEnteringIsABug() {
        Fd fd = event(0);
        assertThrows(IllegalStateException.class, fd::release);
        fd.close();
        assertThrows(IllegalStateException.class, fd::release);
    }

    @Test
    void aNumberThatSomebodyElseClosedIsReported() {
        Fd fd = highEvent();
        libc.close(fd.acquire());
        fd.release();
        SyscallException e = assertThrows(SyscallException.class, fd::close);
        assertEquals("close failed: EBADF (9)", e.getMessage());
    }

    @Test
    void aNegativeNumberIsNoDescriptor() {
        assertThrows(IllegalArgumentException.class, () -> Fd.owning(libc, -1));
    }

    /**
     * Readers go on while owners close and strangers open: each counter of ours holds its own mark, so a read that hit
     * another descriptor would bring a wrong one, or take what is not ours.
     */
    // r[verify sys.fd-reuse]
    @Test
    void noReadEverHitsAForeignDescriptor() throws Exception {
        int rounds = Boolean.getBoolean("carillon.stress") ? 200_000 : 5_000;
        AtomicInteger foreign = new AtomicInteger();
        AtomicInteger reads = new AtomicInteger();
        Fd[] shared = {event(0)};
        boolean[] done = {false};
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread reader = new Thread(() -> read(shared, done, reads, foreign));
            readers.add(reader);
            reader.start();
        }
        Deadline limit = Deadline.after(LIMIT);
        for (int i = 0; i < rounds || (reads.get() == 0 && !limit.isOver()); i++) {
            Fd old = shared[0];
            synchronized (shared) {
                shared[0] = event(0);
            }
            old.close();
            // A stranger, which likely gets the number that is free now, and which nobody may read.
            try (Fd stranger = event(7)) {
                int number = stranger.acquire();
                try (NativeBytes memory = NativeBytes.allocate(libc, 8)) {
                    if (libc.read(number, memory.address(), 8) != 8) {
                        foreign.incrementAndGet();
                    }
                }
                stranger.release();
            }
        }
        synchronized (shared) {
            done[0] = true;
        }
        for (Thread reader : readers) {
            reader.join(LIMIT.toMillis());
        }
        shared[0].close();
        assertEquals(0, foreign.get());
        assertTrue(reads.get() > 0);
    }

    private void read(Fd[] shared, boolean[] done, AtomicInteger reads, AtomicInteger foreign) {
        try (NativeBytes memory = NativeBytes.allocate(libc, 8)) {
            while (true) {
                Fd fd;
                synchronized (shared) {
                    if (done[0]) {
                        return;
                    }
                    fd = shared[0];
                }
                for (int i = 0; i < 50; i++) {
                    int number;
                    try {
                        number = fd.acquire();
                    } catch (ClosedException closed) {
                        break;
                    }
                    if (libc.read(number, memory.address(), 8) != -Errno.EAGAIN) {
                        foreign.incrementAndGet();
                    }
                    reads.incrementAndGet();
                    fd.release();
                }
            }
        }
    }
}
