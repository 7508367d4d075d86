package dev.carillon.memory;

import dev.carillon.ClosedException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * All {@link OrderedBytes} of one region, so that closing can take the bytes away from each of them.
 *
 * <p>This is why an access needs no "is it closed" test of its own: a view of a closed region has no bytes left, and
 * the bounds check that is there anyway fails. (A flag took some 10 % of an acquire on JDK 25.)
 *
 * <p><b>Threading:</b> any thread; {@code slice} and {@code close} take this object's lock, accesses take none.
 */
final class Views {
    private static final int FIRST_SWEEP = 16;

    /** Whether another process can make the file shorter than this region. */
    final boolean canShrink;

    private final String what;
    private final List<WeakReference<OrderedBytes>> views = new ArrayList<>();
    private int sweepAt = FIRST_SWEEP;
    private boolean closed;

    private final BooleanSupplier truncated;

    /**
     * The views of one region.
     *
     * @param what names the region in messages
     * @param canShrink as the field
     * @param truncated asks the file, if there is one that can shrink
     */
    Views(String what, boolean canShrink, BooleanSupplier truncated) {
        this.what = what;
        this.canShrink = canShrink;
        this.truncated = truncated;
    }

    /** Views of memory whose size nobody can change. */
    static Views ofFixedSize(String what) {
        return new Views(what, false, () -> false);
    }

    void ensureNotTruncated() {
        if (truncated.getAsBoolean()) {
            throw Faults.truncated(what, null);
        }
    }

    /** Remembers a new view; one that comes after the close gets nothing. */
    synchronized OrderedBytes add(OrderedBytes view) {
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
        for (WeakReference<OrderedBytes> seen : views) {
            OrderedBytes view = seen.get();
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

    ClosedException closed(String tried) {
        return new ClosedException(
                what + " is closed: " + tried + " came too late; stop its users before you close a region");
    }
}
