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
    private final RegionViews views;
    private final @Nullable BackingObject file;
    private final int size;

    /** The guard of one region. */
    TruncationGuard(RegionViews views, @Nullable BackingObject file, int size) {
        this.views = views;
        this.file = file;
        this.size = size;
    }

    /** Whether the file is now shorter than the region, or a page of zeros lies in the place of one of its pages. */
    boolean isTruncated() {
        VmFaults.handOut();
        // The file first, which a closed region refuses.
        return isShorter() || isLost();
    }

    private boolean isShorter() {
        return file != null && file.length() < size;
    }

    private boolean isLost() {
        LossyPages lossy = views.lossy;
        return lossy != null && lossy.isLost();
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
                throw RegionTruncatedException.of(region.toString(), views.isClosed() || isShorter(), null);
            }
            return result;
        } catch (InternalError e) {
            if (VmFaults.isOne(e)) {
                throw RegionTruncatedException.of(region.toString(), views.isClosed() || isShorter(), e);
            }
            throw e;
        }
    }

    /** Also says no if the region was closed meanwhile. */
    private boolean isTruncatedNow() {
        VmFaults.handOut();
        try {
            return !views.isClosed() && isTruncated();
        } catch (ClosedException meanwhile) {
            return false;
        }
    }
}
