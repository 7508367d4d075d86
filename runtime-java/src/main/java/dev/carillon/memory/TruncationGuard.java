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

    /** From this JDK on, a fault comes out at the end of any native call; before, where the VM itself does some work. */
    private static final boolean NATIVE_CALLS_SUFFICE = Runtime.version().feature() >= 25;

    /** Volatile, so that no compiler knows it and makes the array by itself. */
    private static volatile int one = 1;

    @SuppressWarnings("unused") // so that the array is made
    private static byte @Nullable [][] made;

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
        passVm();
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

    /** Also says no if the region was closed meanwhile. */
    private boolean isTruncatedNow() {
        passVm();
        try {
            return !views.isClosed() && isTruncated();
        } catch (ClosedException meanwhile) {
            return false;
        }
    }

    /**
     * Enters the VM, which hands out a fault that it has pending for this thread on the way back.
     *
     * <p>It must not come later. Between the acquire of a descriptor and the block that releases it, it would leave the
     * descriptor open for ever.
     */
    static void passVm() {
        if (NATIVE_CALLS_SUFFICE) {
            Thread.holdsLock(TruncationGuard.class);
        } else {
            made = new byte[one][one];
        }
    }
}
