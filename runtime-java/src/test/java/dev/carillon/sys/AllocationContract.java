package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.carillon.test.Deadline;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A call costs no memory: not when it works, and not when it fails. */
abstract class AllocationContract {
    private static final int CALLS = 100_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);
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
            // The compiler comes when it has time; until then calls may leave something.
            long least = Long.MAX_VALUE;
            for (Deadline limit = Deadline.after(LIMIT); least / CALLS != 0 && !limit.isOver(); ) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                run(libc, event, memory.address(), CALLS);
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least / CALLS, "allocated=" + least + " bytes in " + CALLS + " rounds");
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
