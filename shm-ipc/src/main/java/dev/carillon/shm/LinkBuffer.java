package dev.carillon.shm;

import dev.carillon.ClosedException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a link as a buffer, as long as the link is open: a closed link that is kept by somebody does not keep its
 * addresses.
 *
 * <p>To be used by index, or for views: its position and its limit stay.
 *
 * <p><b>Threading:</b> any thread. What was read of it while {@link #get} still works after that was read from the link.
 */
final class LinkBuffer {
    private final LinkPages pages;
    private volatile @Nullable ByteBuffer shared;

    LinkBuffer(ByteBuffer shared, LinkPages pages) {
        this.shared = shared;
        this.pages = pages;
    }

    /**
     * All bytes.
     *
     * @throws ClosedException if the link was closed
     * @throws dev.carillon.memory.RegionTruncatedException if the memory is a file that was truncated
     */
    ByteBuffer get() {
        ByteBuffer open = shared;
        if (open == null) {
            throw new ClosedException(
                    "the link of this frame was closed, and its memory is gone; copy() what stays longer");
        }
        pages.ensureThere();
        return open;
    }

    /** Comes before the memory is given back. */
    void letGo() {
        shared = null;
    }
}
