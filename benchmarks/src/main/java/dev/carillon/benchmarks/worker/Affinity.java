package dev.carillon.benchmarks.worker;

import dev.carillon.sys.LibC;
import java.nio.ByteBuffer;

/**
 * Keeps threads on a core, after the VM has started.
 *
 * <p>A VM that is started on one core sees one core, and picks another garbage collector and fewer compiler threads.
 *
 * <p><b>See:</b> sched_setaffinity(2)
 */
public final class Affinity {
    /** As many bytes as glibc's cpu_set_t: 1,024 cores. */
    private static final int MASK_BYTES = 128;

    private static final int CALLING_THREAD = 0;
    private static final ByteBuffer AT_START = coresOfThisThread();

    private Affinity() {}

    /** Keeps the calling thread on one core. */
    public static void pin(int core) {
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES);
        // Within a byte bit 0 is the first core; on little-endian machines this is the kernel's layout in longs.
        mask.put(core / Byte.SIZE, (byte) (1 << (core % Byte.SIZE)));
        set(mask);
    }

    /** Lets the calling thread run on every core that this process had at its start. */
    public static void release() {
        set(AT_START);
    }

    private static void set(ByteBuffer mask) {
        LibC libc = LibC.get();
        Calls.check("sched_setaffinity", libc.sched_setaffinity(CALLING_THREAD, MASK_BYTES, libc.addressOf(mask)));
    }

    private static ByteBuffer coresOfThisThread() {
        LibC libc = LibC.get();
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES);
        Calls.check("sched_getaffinity", libc.sched_getaffinity(CALLING_THREAD, MASK_BYTES, libc.addressOf(mask)));
        return mask;
    }
}
