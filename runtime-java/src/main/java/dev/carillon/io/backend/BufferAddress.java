package dev.carillon.io.backend;

import dev.carillon.sys.BufferScope;
import dev.carillon.sys.LibC;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the addresses of the two buffers that were used last, such as one to read into and one to write from: finding an
 * address costs more than a system call. It does not keep the buffers themselves.
 *
 * <p><b>Threading:</b> the loop thread.
 */
public final class BufferAddress {
    /** By identity: buffers are equal if their content is. */
    private @Nullable WeakReference<ByteBuffer> last;

    private @Nullable WeakReference<ByteBuffer> other;
    private long address;
    private long addressOfOther;

    /** The address of a direct buffer's index 0; 0 if the kernel must not have it, see {@link BufferScope#mayEnd}. */
    public long of(ByteBuffer direct, LibC libc) {
        if (!isLast(direct)) {
            swap();
            if (!isLast(direct)) {
                last = null;
                address = BufferScope.mayEnd(direct) ? 0 : libc.addressOf(direct);
                last = new WeakReference<>(direct);
            }
        }
        return address;
    }

    private boolean isLast(ByteBuffer direct) {
        WeakReference<ByteBuffer> known = last;
        return known != null && known.refersTo(direct);
    }

    private void swap() {
        WeakReference<ByteBuffer> known = last;
        long knownAddress = address;
        last = other;
        address = addressOfOther;
        other = known;
        addressOfOther = knownAddress;
    }
}
