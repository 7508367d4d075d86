package dev.carillon.memory;

import dev.carillon.ClosedException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells the InternalError of an access to a lost page of a file from other ones, and gives it a name. */
final class Faults {
    /** A part of HotSpot's message that is the same in JDK 17 ("in a recent ...") and 25 ("in an ..."). */
    private static final String SIGN = "unsafe memory access operation";

    private Faults() {}

    // r[impl memory.truncation]
    static <T extends @Nullable Object> T guarded(MemoryRegion region, Supplier<T> work) {
        try {
            T result = work.get();
            if (isTruncatedNow(region)) {
                throw lost(region.toString(), true, null);
            }
            return result;
        } catch (InternalError e) {
            String message = e.getMessage();
            if (message != null && message.contains(SIGN)) {
                throw lost(region.toString(), !region.isOpen() || region.isTruncated(), e);
            }
            throw e;
        }
    }

    /** Each way goes through the VM, where it hands out a fault that it still has pending for this thread. */
    @SuppressWarnings("ThreadPriorityCheck") // yield() is nothing but a way into the VM here
    private static boolean isTruncatedNow(MemoryRegion region) {
        try {
            if (region.isOpen()) {
                return region.isTruncated();
            }
            Thread.yield();
            return false;
        } catch (ClosedException meanwhile) {
            Thread.yield();
            return false;
        }
    }

    static RegionTruncatedException lost(String what, boolean truncated, @Nullable Throwable cause) {
        String how = truncated
                ? ": its file was truncated by another process; close the region and make a new one"
                : ": a page of its file is gone and cannot be had again: somebody punched a hole and the file system is"
                        + " full, or the disk fails; make room, close the region and make a new one";
        return new RegionTruncatedException(what + how, cause);
    }
}
