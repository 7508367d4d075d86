package dev.carillon.memory;

import dev.carillon.ClosedException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All {@link OrderedBytes} of one region, so that closing can take the bytes away from each of them.
 *
 * <p>This is why an access needs no "is it closed" test of its own: a view of a closed region has no bytes left, and
 * the bounds check that is there anyway fails. (A flag took some 10 % of an acquire on JDK 25.)
 *
 * <p><b>Threading:</b> any thread; {@code slice} and {@code close} take this object's lock, accesses take none.
 */
final class RegionViews {
    private static final int FIRST_SWEEP = 16;

    /** Null if no page can be lost: the memory is no file's, or a file's that is sealed, or it is only read. */
    final @Nullable LossyPages lossy;

    /** Null if pages can be lost, or not be written. */
    final @Nullable LongCopy longCopy;

    private final String what;
    private final List<WeakReference<PlainBytes>> views = new ArrayList<>();
    private int sweepAt = FIRST_SWEEP;
    private boolean closed;

    /**
     * The views of one region.
     *
     * @param what names the region in messages
     * @param lossy as the field
     * @param longCopy as the field
     */
    RegionViews(String what, @Nullable LossyPages lossy, @Nullable LongCopy longCopy) {
        this.what = what;
        this.lossy = lossy;
        this.longCopy = longCopy;
    }

    /** RegionViews of memory that no page of can be lost. */
    static RegionViews ofSafePages(String what) {
        return new RegionViews(what, null, null);
    }

    /** Remembers a new view; after the close it is refused. */
    synchronized <V extends PlainBytes> V add(V view) {
        if (closed) {
            throw closed("slice");
        }
        if (views.size() >= sweepAt) {
            views.removeIf(seen -> seen.get() == null);
            sweepAt = Math.max(FIRST_SWEEP, 2 * views.size());
        }
        views.add(new WeakReference<>(view));
        return view;
    }

    synchronized void close() {
        closed = true;
        for (WeakReference<PlainBytes> seen : views) {
            PlainBytes view = seen.get();
            if (view != null) {
                view.takeBytesAway();
            }
        }
        views.clear();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    String what() {
        return what;
    }

    /**
     * Comes after an access that may be an exchange or another atomic instruction.
     *
     * @throws RegionTruncatedException if a page of the region is lost
     */
    // r[impl memory.atomic-loss]
    void ensureKept() {
        if (lossy != null) {
            lossy.ensureKept();
        }
    }

    /** As {@link LossyPages#behind}. */
    RegionTruncatedException behind(InternalError error, int offset) {
        if (lossy == null) {
            throw error;
        }
        return lossy.behind(error, offset);
    }

    ClosedException closed(String tried) {
        return new ClosedException(
                what + " is closed: " + tried + " came too late; stop its users before you close a region");
    }
}
