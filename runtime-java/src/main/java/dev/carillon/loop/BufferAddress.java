package dev.carillon.loop;

import dev.carillon.sys.BufferScope;
import dev.carillon.sys.LibC;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The address of the buffer that was used last: finding it costs more than a system call. The buffer itself is not kept.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class BufferAddress {
    /** By identity: buffers are equal if their content is. */
    private @Nullable WeakReference<ByteBuffer> last;

    private long address;

    /** Of a direct buffer's index 0; 0 if the kernel must not have it, see {@link BufferScope#mayEnd}. */
    long of(ByteBuffer direct, LibC libc) {
        WeakReference<ByteBuffer> known = last;
        if (known == null || !known.refersTo(direct)) {
            last = null;
            address = BufferScope.mayEnd(direct) ? 0 : libc.addressOf(direct);
            last = new WeakReference<>(direct);
        }
        return address;
    }
}
