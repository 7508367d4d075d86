package dev.carillon.sys;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Four bytes per thread into which a call through java.lang.foreign puts errno.
 *
 * <p><b>Threading:</b> belongs to one thread, platform or virtual: two threads that shared one would read each other's
 * errors.
 */
// r[impl sys.errno-thread]
final class ErrnoSlot {
    private static final SlotOfThread SLOTS = new SlotOfThread();

    final MemorySegment segment;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(Integer.BYTES).order(ByteOrder.nativeOrder());

    private ErrnoSlot() {
        segment = MemorySegment.ofBuffer(bytes);
    }

    static ErrnoSlot ofThisThread() {
        return SLOTS.get();
    }

    int errno() {
        return bytes.getInt(0);
    }

    private static final class SlotOfThread extends ThreadLocal<ErrnoSlot> {
        @Override
        protected ErrnoSlot initialValue() {
            return new ErrnoSlot();
        }
    }
}
