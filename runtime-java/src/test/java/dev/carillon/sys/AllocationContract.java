package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** A call costs no memory: not when it works, and not when it fails. */
abstract class AllocationContract {
    private static final int CALLS = 100_000;
    private static final int NONBLOCK_CLOEXEC = 0x80800;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    abstract LibC libc();

    // r[verify sys.no-allocation]
    @Test
    void callsAllocateNothing() {
        LibC libc = libc();
        try (NativeBytes memory = NativeBytes.allocate(libc, 64);
                Fd event = Fd.owning(libc, libc.eventfd(0, NONBLOCK_CLOEXEC))) {
            memory.bytes().putLong(0, 1);
            run(libc, event, memory.address(), CALLS);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run(libc, event, memory.address(), CALLS);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertEquals(0, allocated / CALLS, () -> "allocated=" + allocated + " bytes in " + CALLS + " rounds");
        }
    }

    private static void run(LibC libc, Fd fd, long address, int rounds) {
        for (int i = 0; i < rounds; i++) {
            int number = fd.acquire();
            libc.write(number, address, 8);
            libc.read(number, address, 8);
            libc.read(number, address, 8);
            fd.release();
            libc.futex(address + 32, 1, 1, 0, 0, 0);
            Scratch.ofThisThread(libc);
        }
    }
}
