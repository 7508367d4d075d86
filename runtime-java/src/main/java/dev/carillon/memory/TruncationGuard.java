package dev.carillon.memory;

import dev.carillon.ClosedException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the InternalError of an access to a lost page of a file from other ones, and gives it a name.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TruncationGuard {
    /** A part of HotSpot's message that is the same in JDK 17 ("in a recent ...") and 25 ("in an ..."). */
    private static final String SIGN = "unsafe memory access operation";

    private final RegionViews views;
    private final @Nullable BackingObject file;
    private final int size;

    /** The guard of one region. */
    TruncationGuard(RegionViews views, @Nullable BackingObject file, int size) {
        this.views = views;
        this.file = file;
        this.size = size;
    }

    /** Whether the file is now shorter than the region. */
    boolean isTruncated() {
        return file != null && file.length() < size;
    }

    /**
     * Does some work, and fails if a page was lost meanwhile.
     *
     * @param region names it in messages
     */
    // r[impl memory.truncation]
    <T extends @Nullable Object> T guarded(Object region, Supplier<T> work) {
        try {
            T result = work.get();
            if (isTruncatedNow()) {
                throw RegionTruncatedException.of(region.toString(), true, null);
            }
            return result;
        } catch (InternalError e) {
            String message = e.getMessage();
            if (message != null && message.contains(SIGN)) {
                throw RegionTruncatedException.of(region.toString(), views.isClosed() || isTruncated(), e);
            }
            throw e;
        }
    }

    /** Each way goes through the VM, where it hands out a fault that it still has pending for this thread. */
    @SuppressWarnings("ThreadPriorityCheck") // yield() is nothing but a way into the VM here
    private boolean isTruncatedNow() {
        try {
            if (!views.isClosed()) {
                return isTruncated();
            }
            Thread.yield();
            return false;
        } catch (ClosedException meanwhile) {
            Thread.yield();
            return false;
        }
    }
}
