package dev.carillon.sys;

import java.nio.ByteBuffer;

/**
 * Whether the memory of a buffer is there, and stays.
 *
 * <p>Memory of an arena (java.lang.foreign) may be freed while buffers over it are still in use, and another owner may have it then.
 * The kernel knows nothing of that: it writes wherever an address points to.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl io.memory]
public final class BufferScope {
    private static final boolean HAS_ARENAS = Runtime.version().feature() >= 22;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private BufferScope() {}

    /**
     * Asks whether the calling thread may use the memory now.
     *
     * @throws IllegalStateException if its arena was closed, or belongs to another thread
     */
    public static void ensureUsable(ByteBuffer buffer) {
        try {
            // A copy of no bytes: the JDK looks at the scope of its source, but not at the memory, where a mapped file
            // may have become shorter.
            NOTHING.put(0, buffer, 0, 0);
        } catch (RuntimeException refused) {
            throw new IllegalStateException(
                    "buffer=" + buffer + ": its arena was closed, or is confined to another thread than "
                            + Thread.currentThread().getName()
                            + "; an arena has to be shared, and open until the operation has completed",
                    refused);
        }
    }

    /**
     * Whether another thread can free the memory of a direct buffer at any time, also during a system call. The kernel
     * must not get such memory, but may get a copy: memory cannot be freed while the JDK copies it.
     *
     * <p>Always false before JDK 22.
     */
    public static boolean mayEnd(ByteBuffer direct) {
        return HAS_ARENAS && FfmScopes.mayEnd(direct);
    }
}
