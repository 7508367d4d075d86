package dev.carillon.sys;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A little native memory per thread for what the kernel reads from or writes to memory during one call.
 *
 * <p>It stays as long as its thread, so that no call of the hot path allocates, and nothing is freed while the kernel
 * has its address. Its content lasts until the thread's next call.
 *
 * <p><b>Threading:</b> belongs to its thread.
 */
// r[impl sys.no-allocation]
public final class Scratch {
    /** Room for the largest fixed structure that a call takes. */
    public static final int SIZE = 512;

    private static final ThreadLocal<@Nullable Scratch> SCRATCH = new ThreadLocal<>();

    /** The memory, in native byte order. */
    public final ByteBuffer bytes = ByteBuffer.allocateDirect(SIZE).order(ByteOrder.nativeOrder());

    /** Where it is. */
    public final long address;

    private Scratch(LibC libc) {
        address = libc.addressOf(bytes);
    }

    /** The calling thread's. */
    public static Scratch ofThisThread(LibC libc) {
        Scratch scratch = SCRATCH.get();
        if (scratch == null) {
            scratch = new Scratch(libc);
            SCRATCH.set(scratch);
        }
        return scratch;
    }
}
