package dev.carillon.benchmarks.worker;

import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

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
        set(CALLING_THREAD, maskOf(core));
    }

    /** Lets the calling thread run on every core that this process had at its start. */
    public static void release() {
        set(CALLING_THREAD, AT_START);
    }

    /** Keeps all threads of this process but the calling one on one core, the VM's own included. */
    public static void pinOthers(int core) throws IOException {
        String own = Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString();
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : threads.toList()) {
                String id = thread.getFileName().toString();
                if (!id.equals(own)) {
                    setUnlessItHasEnded(Integer.parseInt(id), maskOf(core));
                }
            }
        }
    }

    private static ByteBuffer maskOf(int core) {
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES);
        // Within a byte bit 0 is the first core; on little-endian machines this is the kernel's layout in longs.
        mask.put(core / Byte.SIZE, (byte) (1 << (core % Byte.SIZE)));
        return mask;
    }

    private static void set(int thread, ByteBuffer mask) {
        Calls.check("sched_setaffinity", attempt(thread, mask));
    }

    private static void setUnlessItHasEnded(int thread, ByteBuffer mask) {
        int result = attempt(thread, mask);
        if (result != -Errno.ESRCH) {
            Calls.check("sched_setaffinity", result);
        }
    }

    private static int attempt(int thread, ByteBuffer mask) {
        LibC libc = LibC.get();
        return libc.sched_setaffinity(thread, MASK_BYTES, libc.addressOf(mask));
    }

    private static ByteBuffer coresOfThisThread() {
        LibC libc = LibC.get();
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES);
        Calls.check("sched_getaffinity", libc.sched_getaffinity(CALLING_THREAD, MASK_BYTES, libc.addressOf(mask)));
        return mask;
    }
}
