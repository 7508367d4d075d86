package dev.carillon.shm;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The bytes of a retained frame, and how many users it has; the last one gives them back.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FrameHold {
    private final AtomicInteger users = new AtomicInteger(1);
    private final Supplier<ByteBuffer> bytes;
    private final Runnable giveBack;

    /**
     * With one user.
     *
     * @param bytes throws if they are gone
     * @param giveBack what the last release does
     */
    FrameHold(Supplier<ByteBuffer> bytes, Runnable giveBack) {
        this.bytes = bytes;
        this.giveBack = giveBack;
    }

    /** One more user. */
    void add() {
        if (users.getAndUpdate(now -> now == 0 ? 0 : now + 1) == 0) {
            throw released();
        }
    }

    void release() {
        int before = users.getAndUpdate(now -> now == 0 ? 0 : now - 1);
        if (before == 0) {
            throw released();
        }
        if (before == 1) {
            giveBack.run();
        }
    }

    ByteBuffer bytes() {
        if (users.get() == 0) {
            throw released();
        }
        return bytes.get();
    }

    /** To be called after a read: the bytes were still there. */
    void ensureStill() {
        // The read comes before the look.
        VarHandle.acquireFence();
        bytes();
    }

    /** Whether the bytes are still there, after what was read of them before. */
    boolean isThere() {
        try {
            ensureStill();
            return true;
        } catch (IllegalStateException releasedOrClosed) {
            return false;
        }
    }

    private static IllegalStateException released() {
        return new IllegalStateException(
                "this frame was released, and its bytes may be those of another one; release() once for each retain()");
    }
}
